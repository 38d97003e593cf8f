/** Adds `portaria provider keys`: creates, lists and revokes API keys. */
import type { Command } from 'commander';
import { PortariaError } from '../../../kernel/errors.ts';
import { addListOptions, jsonOption, type ListFlags } from '../../options/list-options.ts';
import { readableTime } from '../../output/format.ts';
import { wholeList } from '../../output/pages.ts';
import type { Column } from '../../output/table.ts';
import { writeList } from '../../output/write-list.ts';
import type { Session } from '../../session.ts';
import {
  organizationId,
  organizationOption,
  loadProvider,
  providerFile,
  withProvider,
  type KnownKey,
} from './load-provider.ts';

const columns: readonly Column<KnownKey>[] = [
  { heading: 'organization', shrinks: true, value: ({ organization }) => organization },
  { heading: 'id', value: ({ id }) => id },
  { heading: 'key', value: ({ prefix }) => `${prefix}…` },
  { heading: 'created', value: ({ created_at }) => readableTime(created_at) },
];

export function addKeys(provider: Command, program: Command, session: Session): void {
  const keys = provider.command('keys').description('API keys of organizations');
  addCreate(keys, program, session);
  addList(keys, program, session);
  addRevoke(keys, program, session);
}

function addCreate(keys: Command, program: Command, session: Session): void {
  keys
    .command('create')
    .description('create an API key and print it once; creates the organization if it is new')
    .argument('<organization>', "the organization's name")
    .addOption(jsonOption())
    .action((name: string, { json }: { readonly json: boolean }) =>
      withProvider(providerFile(program, session), session, async (provider) => {
        const { createApiKey, findOrCreateOrganization, widgetsOf } = await loadProvider();
        const organization = await findOrCreateOrganization(provider, name);
        const key = await createApiKey(provider, organization);
        const widgets = await widgetsOf(provider, organization);
        await session.print(json ? JSON.stringify({ organization: name, key, widgets }) : key);
        await session.note(
          `Send the key in the header x-api-key. It cannot be shown again. Widget: ${widgets.join(', ')}`,
        );
      }),
    );
}

function addList(keys: Command, program: Command, session: Session): void {
  const command = keys
    .command('list')
    .description(
      'list the API keys, oldest first, by id and first characters: keys themselves are not stored',
    )
    .addOption(organizationOption());
  addListOptions(command).action((flags: ListFlags & { readonly organization?: string }) =>
    withProvider(providerFile(program, session), session, async (provider) => {
      const { listApiKeys } = await loadProvider();
      const found = await listApiKeys(provider, await organizationId(provider, flags.organization));
      await writeList(session, wholeList(found, flags.limit), {
        columns,
        json: flags.json,
        empty: 'There is no key yet: portaria provider keys create <organization>',
      });
    }),
  );
}

function addRevoke(keys: Command, program: Command, session: Session): void {
  keys
    .command('revoke')
    .description('revoke an API key: requests with it get 401 from now on')
    .argument('<key>', 'its id, its first characters as keys list shows them, or the whole key')
    .addOption(jsonOption())
    .action((text: string, { json }: { readonly json: boolean }) =>
      withProvider(providerFile(program, session), session, async (provider) => {
        const { revokeApiKey } = await loadProvider();
        const [revoked, ...others] = await revokeApiKey(provider, text);
        // The text is not repeated: it may be a key.
        if (revoked === undefined)
          throw new PortariaError('not-found', 'There is no such key: see portaria provider keys list');
        if (others.length > 0)
          throw new PortariaError(
            'invalid-argument',
            `Several keys begin like this; write an id: ${[revoked, ...others].map(({ id }) => id).join(', ')}`,
          );
        const { organization, id, prefix } = revoked;
        await session.print(
          json ? JSON.stringify(revoked) : `The key ${id} ${prefix}… of ${organization} is revoked`,
        );
      }),
    );
}
