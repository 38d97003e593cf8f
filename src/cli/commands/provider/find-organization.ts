/** Finds the organization that a command of the provider names. */
import { Option } from 'commander';
import { PortariaError } from '../../../kernel/errors.ts';
import { loadProvider, type Provider } from './load-provider.ts';

/** Finds an organization by name, or the only one if no name is given. */
export async function findOrganization(
  provider: Provider,
  name: string | undefined,
): Promise<{ readonly id: number; readonly name: string }> {
  const { organizations } = await loadProvider();
  const all = await organizations(provider);
  const candidates = name === undefined ? all : all.filter((each) => each.name === name);
  const [only] = candidates;
  if (only !== undefined && candidates.length === 1) return only;
  if (name !== undefined) throw new PortariaError('not-found', `There is no organization ${name}`);
  if (only === undefined)
    throw new PortariaError(
      'not-found',
      'There is no organization yet: portaria provider keys create <organization>',
    );
  throw new PortariaError(
    'invalid-argument',
    `--organization is required, because there are several: ${all.map((each) => each.name).join(', ')}`,
  );
}

/** Limits a list to one organization. */
export function organizationOption(): Option {
  return new Option('--organization <name>', 'only of this organization');
}

/** Returns the id of the named organization; undefined without a name, which means all of them. */
export async function organizationId(
  provider: Provider,
  name: string | undefined,
): Promise<number | undefined> {
  return name === undefined ? undefined : (await findOrganization(provider, name)).id;
}
