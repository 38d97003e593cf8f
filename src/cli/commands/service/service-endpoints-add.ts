import type { Command } from 'commander';
import { PortariaError } from '../../../kernel/errors.ts';
import type { Service } from '../../../service/service.ts';
import { parseWebAddress } from '../../options/web-address.ts';
import type { Session } from '../../session.ts';
import { serviceFile } from './service-file.ts';
import { withService } from './with-service.ts';

export function addEndpointsAdd(endpoints: Command, program: Command, session: Session): void {
  endpoints
    .command('add')
    .description("keep an organization's webhooks for this address from now on")
    .argument('<url>', 'where webhooks go', parseWebAddress)
    .option('--organization <name>', 'whose; may be left out when there is only one')
    .action((url: string, { organization: name }: { organization?: string }) =>
      withService(serviceFile(program, session), session, async (service) => {
        const { addWebhookEndpoint } = await import('../../../service/webhooks/webhook-endpoint.ts');
        const organization = await chosen(service, name);
        await addWebhookEndpoint(service, organization.id, url);
        await session.print(`Webhooks of ${organization.name} are kept for ${url}`);
        await session.note('They are recorded from now on; this version does not send them yet.');
      }),
    );
}

async function chosen(
  service: Service,
  name: string | undefined,
): Promise<{ readonly id: number; readonly name: string }> {
  const { organizations } = await import('../../../service/organizations/organization.ts');
  const all = await organizations(service);
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
