/** Adds `portaria provider endpoints`: adds, lists and removes webhook endpoints. */
import { InvalidArgumentError, type Command } from 'commander';
import { countOf } from '../../../kernel/text/count.ts';
import { PortariaError } from '../../../kernel/errors.ts';
import { addListOptions, jsonOption, type ListFlags } from '../../options/list-options.ts';
import { parseCount, parseWebAddress } from '../../options/values.ts';
import { readableTime } from '../../output/format.ts';
import { wholeList } from '../../output/pages.ts';
import type { Column } from '../../output/table.ts';
import { writeList } from '../../output/write-list.ts';
import type { Session } from '../../session.ts';
import {
  findOrganization,
  organizationId,
  organizationOption,
  loadProvider,
  providerFile,
  withProvider,
  type KnownEndpoint,
} from './load-provider.ts';

const MAX_LANES = 64;

const columns: readonly Column<KnownEndpoint>[] = [
  { heading: 'organization', shrinks: true, value: ({ organization }) => organization },
  { heading: 'url', value: ({ url }) => url },
  { heading: 'signed', value: ({ signed }) => (signed ? 'yes' : 'no') },
  { heading: 'lanes', align: 'right', optional: true, value: ({ lanes }) => lanes },
  { heading: 'waiting', align: 'right', value: ({ waiting }) => waiting },
  { heading: 'dead', align: 'right', value: ({ dead }) => dead },
  { heading: 'created', optional: true, value: ({ created_at }) => readableTime(created_at) },
];

export function addEndpoints(provider: Command, program: Command, session: Session): void {
  const endpoints = provider.command('endpoints').description('webhook endpoints');
  addAdd(endpoints, program, session);
  addList(endpoints, program, session);
  addRemove(endpoints, program, session);
}

interface EndpointOptions {
  readonly organization?: string;
  readonly secret?: string;
  readonly lanes?: number;
  readonly json: boolean;
}

function addAdd(endpoints: Command, program: Command, session: Session): void {
  endpoints
    .command('add')
    .description("send an organization's webhooks to this URL from now on")
    .argument('<url>', 'the URL of the receiver', parseWebAddress)
    .option('--organization <name>', 'the organization; optional when there is only one')
    .option('--secret <whsec>', 'sign by Standard Webhooks: whsec_ and 24 to 64 bytes in base64')
    .option('--lanes <n>', 'webhooks sent in parallel; above 1, order holds per record only', parseLanes)
    .addOption(jsonOption())
    .action((url: string, { organization: name, secret, lanes, json }: EndpointOptions) =>
      withProvider(providerFile(program, session), session, async (provider) => {
        const { addWebhookEndpoint, isSigningSecret } = await loadProvider();
        if (secret !== undefined && !isSigningSecret(secret))
          throw new PortariaError(
            'invalid-argument',
            '--secret: expected whsec_ and 24 to 64 bytes in base64',
          );
        const organization = await findOrganization(provider, name);
        await addWebhookEndpoint(provider, organization.id, { url, secret, lanes });
        const signed = secret !== undefined;
        await session.print(
          json
            ? JSON.stringify({ organization: organization.name, url, signed })
            : `Webhooks of ${organization.name} go to ${url}${signed ? ', signed' : ''}`,
        );
      }),
    );
}

function parseLanes(text: string): number {
  const lanes = parseCount(text);
  if (lanes > MAX_LANES) throw new InvalidArgumentError(`Write a number up to ${String(MAX_LANES)}.`);
  return lanes;
}

function addList(endpoints: Command, program: Command, session: Session): void {
  const command = endpoints
    .command('list')
    .description('list the endpoints, oldest first, with the webhooks that wait and those that are dead')
    .addOption(organizationOption());
  addListOptions(command).action((flags: ListFlags & { readonly organization?: string }) =>
    withProvider(providerFile(program, session), session, async (provider) => {
      const { listEndpoints } = await loadProvider();
      const found = await listEndpoints(provider, await organizationId(provider, flags.organization));
      await writeList(session, wholeList(found, flags.limit), {
        columns,
        json: flags.json,
        empty: 'There is no endpoint yet: portaria provider endpoints add <url>',
      });
    }),
  );
}

interface RemoveOptions {
  readonly organization?: string;
  readonly discard: boolean;
  readonly json: boolean;
}

function addRemove(endpoints: Command, program: Command, session: Session): void {
  endpoints
    .command('remove')
    .description('send no more webhooks to this URL, and delete those that were sent to it')
    .argument('<url>', 'the URL as endpoints list shows it')
    .option('--organization <name>', 'the organization; optional when there is only one')
    .option('--discard', 'also discard webhooks that are still to be sent', false)
    .addOption(jsonOption())
    .action((url: string, { organization: name, discard, json }: RemoveOptions) =>
      withProvider(providerFile(program, session), session, async (provider) => {
        const { removeEndpoint } = await loadProvider();
        const organization = await findOrganization(provider, name);
        const { discarded } = await removeEndpoint(provider, organization.id, { url, discard });
        const lost = discarded === 0 ? '' : `; ${countOf(discarded, 'webhook')} will not be sent`;
        await session.print(
          json
            ? JSON.stringify({ organization: organization.name, url, discarded })
            : `Webhooks of ${organization.name} no longer go to ${url}${lost}`,
        );
      }),
    );
}
