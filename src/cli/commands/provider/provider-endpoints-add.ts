import { InvalidArgumentError, type Command } from 'commander';
import { PortariaError } from '../../../kernel/errors.ts';
import type { Provider } from '../../../../provider/provider.ts';
import { parseCount } from '../../options/numbers.ts';
import { parseWebAddress } from '../../options/web-address.ts';
import type { Session } from '../../session.ts';
import { providerFile } from './provider-file.ts';
import { withProvider } from './with-provider.ts';

export function addEndpointsAdd(endpoints: Command, program: Command, session: Session): void {
  endpoints
    .command('add')
    .description("send an organization's webhooks to this address from now on")
    .argument('<url>', 'where webhooks go', parseWebAddress)
    .option('--organization <name>', 'whose; may be left out when there is only one')
    .option('--secret <whsec>', 'sign them by Standard Webhooks: whsec_ and 24 to 64 bytes in base64')
    .option('--lanes <n>', 'so many at a time; above 1 only those of a record are in order', parseLanes)
    .action((url: string, { organization: name, secret, lanes }: Options) =>
      withProvider(providerFile(program, session), session, async (provider) => {
        const { addWebhookEndpoint } = await import('../../../../provider/webhooks/webhook-endpoint.ts');
        const { isSigningSecret } = await import('../../../../provider/webhooks/standard-signing.ts');
        if (secret !== undefined && !isSigningSecret(secret))
          throw new PortariaError('invalid-argument', '--secret takes whsec_ and 24 to 64 bytes in base64');
        const organization = await chosen(provider, name);
        await addWebhookEndpoint(provider, organization.id, { url, secret, lanes });
        const signed = secret === undefined ? '' : ', signed';
        await session.print(`Webhooks of ${organization.name} go to ${url}${signed}`);
      }),
    );
}

interface Options {
  readonly organization?: string;
  readonly secret?: string;
  readonly lanes?: number;
}

const MAX_LANES = 64;

function parseLanes(text: string): number {
  const lanes = parseCount(text);
  if (lanes > MAX_LANES) throw new InvalidArgumentError(`Write a number up to ${String(MAX_LANES)}.`);
  return lanes;
}

async function chosen(
  provider: Provider,
  name: string | undefined,
): Promise<{ readonly id: number; readonly name: string }> {
  const { organizations } = await import('../../../../provider/organizations/organization.ts');
  const all = await organizations(provider);
  const candidates = name === undefined ? all : all.filter((each) => each.name === name);
  const [only] = candidates;
  if (only !== undefined && candidates.length === 1) return only;
  if (name !== undefined) throw new PortariaError('not-found', `There is no organization ${name}`);
  if (only === undefined)
    throw new PortariaError(
      'not-found',
      'There is no organization yet: portaria service keys create <organization>',
    );
  throw new PortariaError(
    'invalid-argument',
    `Say whose they are with --organization: ${all.map((each) => each.name).join(', ')}`,
  );
}
