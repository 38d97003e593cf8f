/** `portaria quarantine discard`. */
import { Option, type Command } from 'commander';
import { PortariaError } from '../../../kernel/errors.ts';
import { countOf } from '../../../kernel/text/count.ts';
import { printableLine } from '../../../kernel/text/printable.ts';
import { discardQuarantine } from '../../../operate/change/discard-quarantine.ts';
import type { QuarantineFilter } from '../../../store/queries.ts';
import { entryDiscardDetails } from '../../../view/change-details.ts';
import type { EntryDiscardView } from '../../../view/operation-views.ts';
import { audited, namedFilter } from '../../audited.ts';
import { exitCode, type ExitCode } from '../../exit-code.ts';
import {
  addEntryOptions,
  quarantineFilter,
  rejectionReasons,
  type QuarantineFilterFlags,
} from '../../options/filters.ts';
import { jsonOption } from '../../options/list-options.ts';
import type { Session } from '../../session.ts';
import { confirm } from '../../terminal/confirm.ts';
import { withStore } from '../../with-store.ts';

/** Ids that one line of output names, at most. */
const MAX_IDS_SHOWN = 20;

interface DiscardFlags extends Omit<QuarantineFilterFlags, 'reason'> {
  readonly quarantinedFor?: QuarantineFilterFlags['reason'];
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
    .argument('[ids...]', 'for example q3; or select them with flags, such as --problem 5f0c2a9be114')
    .addOption(
      new Option('--quarantined-for <reason>', 'quarantined for this reason').choices(rejectionReasons),
    );
  addEntryOptions(command)
    .option('--reason <text>', 'why, recorded in the audit with your name and the time; no personal data')
    .option('--dry-run', 'show what would be discarded, change nothing', false)
    .option('-y, --yes', 'discard without asking', false)
    .addOption(jsonOption())
    .addHelpText('after', epilogue)
    .action(async (ids: string[], { quarantinedFor, reason = '', ...flags }: DiscardFlags) => {
      const named = [...ids, ...(flags.id ?? [])];
      const filter = {
        ...quarantineFilter({ ...flags, ...(quarantinedFor && { reason: quarantinedFor }) }),
        ...(named.length > 0 && { ids: named }),
      };
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
        const print = async (result: EntryDiscardView): Promise<void> => {
          await session.print(flags.json ? JSON.stringify(result) : discardText(result, flags.dryRun));
          session.exitCode = exitCodeOf(result);
        };
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
          const done = await discard(named.length > 0 ? filter : { ...filter, upTo }, false);
          addDetails(entryDiscardDetails(done, filter.ids));
          return done;
        });
        await print(result);
      });
    });
}

function exitCodeOf({ discarded, left_alone: left }: EntryDiscardView): ExitCode {
  if (left.length === 0) return exitCode.ok;
  if (discarded.length > 0) return exitCode.partial;
  return left.every(({ status }) => status === null) ? exitCode.notFound : exitCode.failed;
}

function discardText({ discarded, left_alone: left }: EntryDiscardView, dryRun: boolean): string {
  const lines = left.map(({ id, status }) => {
    if (status === null) return `${id}: there is no such entry`;
    return status === 'held'
      ? `${id}: came again meanwhile, so it stays`
      : `${id}: is released; its event stays, and only held entries are discarded`;
  });
  const shown = discarded.slice(0, MAX_IDS_SHOWN).join(' ');
  const more = discarded.length > MAX_IDS_SHOWN ? ' …' : '';
  const which = discarded.length === 0 ? '' : `: ${shown}${more}`;
  const done = dryRun ? 'would be discarded' : 'discarded';
  return [...lines, `${String(discarded.length)} ${done}${which}`].join('\n');
}

const epilogue = `
Only held entries are discarded; \`quarantine release\` makes events of those that match the contract by now.
The bytes are gone afterwards: \`quarantine show <id> --unmask\` prints them before. The same bytes are held
again when they come again, so fix the sender, or add a definition of the kind (see portaria contract drift).
`;
