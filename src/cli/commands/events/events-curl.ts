/** `portaria events curl`: prints the command that sends an event again. */
import type { Command } from 'commander';
import { webhookAddressOf } from '../../../config/webhook-address.ts';
import { PortariaError } from '../../../kernel/errors.ts';
import { curlCommand } from '../../../operate/show/curl-command.ts';
import { maskingContract } from '../../known-contract.ts';
import { jsonOption, unmaskOption, type DetailFlags } from '../../options/list-options.ts';
import type { Session } from '../../session.ts';
import { orSee, withStore } from '../../with-store.ts';

export function addEventsCurl(events: Command, session: Session): void {
  events
    .command('curl')
    .description('print the curl command that sends an event again; the secret is $PORTARIA_SECRET')
    .argument('<id>', 'the full id, or its number')
    .addOption(unmaskOption())
    .addOption(jsonOption())
    .action(async (id: string, { unmask, json }: DetailFlags) => {
      await withStore(session, async (store, config) => {
        const contract = await maskingContract(session);
        // The secrets of custom sources are not needed, and may not be set in this shell.
        const verifications = new Map(contract.sources.map(({ name, verify }) => [name, verify]));
        const address = (source: string) => {
          const own = config.sources.has(source) ? undefined : verifications.get(source);
          const known = webhookAddressOf(config, source);
          return own === undefined
            ? known
            : { ...known, scheme: own.scheme, header: own.header?.toLowerCase() ?? null };
        };
        const found = await orSee(
          'portaria events list',
          curlCommand(store, id, { unmask, contract, address }),
        );
        if (json) {
          const { command, masked, needsSecret } = found;
          await session.print(JSON.stringify({ command, masked, needs_secret: needsSecret }));
          return;
        }
        if (found.command === null)
          throw new PortariaError(
            'not-found',
            `There is no command for ${id}: its payload is pruned, larger than 256 KiB, or needs --unmask`,
          );
        await session.print(found.command);
        if (found.masked)
          await session.note('Personal data is masked, so this sends another payload; --unmask shows it.');
        if (found.needsSecret) await session.note('Set PORTARIA_SECRET in the shell first.');
      });
    });
}
