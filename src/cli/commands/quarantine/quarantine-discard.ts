/** `portaria quarantine discard`. */
import type { Command } from 'commander';
import { PortariaError } from '../../../kernel/errors.ts';
import { countOf } from '../../../kernel/text/count.ts';
import { printableLine } from '../../../kernel/text/printable.ts';
import { discardQuarantine } from '../../../operate/change/discard-quarantine.ts';
import type { QuarantineFilter, QuarantineStatus } from '../../../store/queries.ts';
import { entryDiscardDetails } from '../../../view/change-details.ts';
import type { EntryDiscardView } from '../../../view/operation-views.ts';
import { entryConditions } from '../../../view/parameters/conditions.ts';
import { audited, namedFilter } from '../../audited.ts';
import { addEntryFlags, selectedEntries, type EntryFlags } from '../../options/filters.ts';
import { jsonOption } from '../../options/list-options.ts';
import { reportChange } from '../../output/report-change.ts';
import type { Session } from '../../session.ts';
import { confirm } from '../../terminal/confirm.ts';
import { withStore } from '../../with-store.ts';

interface DiscardFlags extends Omit<EntryFlags, 'reason'> {
  readonly quarantinedFor?: EntryFlags['reason'];
  readonly reason?: string;
  readonly dryRun: boolean;
  readonly yes: boolean;
  readonly json: boolean;
}

/** `portaria quarantine discard`: removes held entries that cannot become events. */
export function addQuarantineDiscard(quarantine: Command, session: Session): void {
  const command = quarantine
    .command('discard')
    .description('remove held entries that cannot become events, with their bytes')
    .argument('[ids...]', 'for example q3; or select them with flags, such as --problem 5f0c2a9be114');
  // A discard has a reason of its own.
  const { reason: quarantined_for, ...conditions } = entryConditions;
  addEntryFlags(command, { quarantined_for, ...conditions })
    .option('--reason <text>', 'why, recorded in the audit with your name and the time; no personal data')
    .option('--dry-run', 'show what would be discarded, change nothing', false)
    .option('-y, --yes', 'discard without asking', false)
    .addOption(jsonOption())
    .addHelpText('after', epilogue)
    .action(async (ids: string[], { quarantinedFor, reason = '', ...flags }: DiscardFlags) => {
      const filter = selectedEntries({ ...flags, reason: quarantinedFor }, ids);
      if (reason.trim() === '' && !flags.dryRun)
        throw new PortariaError(
          'invalid-argument',
          'Add --reason "<why>", which the audit records, or --dry-run to see what would be discarded',
        );
      const why = printableLine(reason.trim());
      await withStore(session, async (store) => {
        const { clock } = session.terminal;
        const discard = (filterNow: QuarantineFilter, dryRun: boolean) =>
          discardQuarantine(store, { filter: filterNow, reason: why, clock, dryRun });
        const print = (result: EntryDiscardView): Promise<void> =>
          reportChange(session, flags, {
            ...{ result, changed: result.discarded, stays },
            done: flags.dryRun ? 'would be discarded' : 'discarded',
          });
        const planned = await discard(filter, true);
        if (flags.dryRun || planned.discarded.length === 0) {
          await print(planned);
          return;
        }
        const count = countOf(planned.discarded.length, 'entry', 'entries');
        if (!(await confirm(session, `Discard ${count} with their bytes? This cannot be undone.`, flags)))
          return;
        const operation = { action: 'discardQuarantine', subject: namedFilter(filter), reason: why };
        const result = await audited(session, store, operation, async (addDetails) => {
          // An entry that arrived while the question was open is not part of it.
          const upTo = planned.discarded.at(-1) ?? 'q0';
          const done = await discard(filter.ids === undefined ? { ...filter, upTo } : filter, false);
          addDetails(entryDiscardDetails(done, filter.ids));
          return done;
        });
        await print(result);
      });
    });
}

function stays(status: QuarantineStatus | null): string {
  if (status === null) return 'there is no such entry';
  return status === 'held'
    ? 'came again meanwhile, so it stays'
    : 'is released; its event stays, and only held entries are discarded';
}

const epilogue = `
Only held entries are discarded; \`quarantine release\` makes events of those that match the contract by now.
The bytes are gone afterwards: \`quarantine show <id> --unmask\` prints them before. The same bytes are held
again when they come again, so fix the sender, or add a definition of the kind (see portaria contract drift).
`;
