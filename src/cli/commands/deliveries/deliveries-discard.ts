/** `portaria deliveries discard`. */
import type { Command } from 'commander';
import { PortariaError } from '../../../kernel/errors.ts';
import { printableLine } from '../../../kernel/text/printable.ts';
import { discardable, discardDeliveries } from '../../../operate/change/change-deliveries.ts';
import { discardDetails } from '../../../view/change-details.ts';
import type { DiscardView } from '../../../view/operation-views.ts';
import { operateOnStore, namedFilter } from '../../audited.ts';
import { exitCode, type ExitCode } from '../../exit-code.ts';
import { addDeliveryFilterOptions, deliveryFilter, type DeliveryFilterFlags } from '../../options/filters.ts';
import { requireHandler } from '../../known-handlers.ts';
import { addPlanOptions, asksForPlan, type PlanFlags } from '../jobs/plan-options.ts';
import { runPlan } from '../jobs/run-plan.ts';
import { jsonOption } from '../../options/list-options.ts';
import type { Session } from '../../session.ts';

/** Ids that one line of output names, at most. */
const MAX_IDS_SHOWN = 20;

interface DiscardFlags extends DeliveryFilterFlags, PlanFlags {
  readonly reason?: string;
}

/** `portaria deliveries discard`: ends deliveries that nobody needs any more. */
export function addDeliveriesDiscard(deliveries: Command, session: Session): void {
  const command = deliveries
    .command('discard')
    .description('end pending and dead deliveries as skipped, also those of handlers that no longer exist')
    .argument('[ids...]', 'for example d12; or select them with flags, such as --handler old-billing');
  addPlanOptions(addDeliveryFilterOptions(command), { stages: false })
    .option(
      '--reason <text>',
      'why, stored with each delivery after your name and the time; no personal data',
    )
    .option('--dry-run', 'show what would be discarded, change nothing', false)
    .option('-y, --yes', 'start a job without asking', false)
    .addOption(jsonOption())
    .addHelpText(
      'after',
      '\n`portaria replay --id <event>` runs the handlers of a discarded event again.\nAs a job it discards dead deliveries, unless --status pending is given.\n',
    )
    .action(async (ids: string[], flags: DiscardFlags) => {
      const named = [...ids, ...(flags.id ?? [])];
      const filter = { ...deliveryFilter(flags), ...(named.length > 0 && { ids: named }) };
      const why = requireValid(filter, flags);
      const operation = { action: 'discardDeliveries', subject: namedFilter(filter), reason: why };
      const changes = !flags.dryRun && !asksForPlan(flags);
      await operateOnStore(session, changes ? operation : null, async (store, config, addDetails) => {
        await requireHandler(store, config, flags.handler);
        if (asksForPlan(flags)) return;
        const { clock, user: by } = session.terminal;
        const result = await discardDeliveries(store, { filter, clock, by, why, dryRun: flags.dryRun });
        addDetails(discardDetails(result, filter.ids));
        await session.print(flags.json ? JSON.stringify(result) : discardText(result, flags.dryRun));
        session.exitCode = exitCodeOf(result);
      });
      if (asksForPlan(flags))
        await runPlan(session, { action: 'discard', deliveries: filter, reason: why }, flags);
    });
}

/** Returns the reason. @throws PortariaError `invalid-argument` */
function requireValid(filter: object, { reason = '', status, dryRun, plan }: DiscardFlags): string {
  const problem =
    Object.keys(filter).length === 0
      ? 'No delivery is selected: name ids, or select with flags; --status dead selects every dead one'
      : status !== undefined && !discardable.includes(status)
        ? `--status ${status} cannot be discarded: only pending and dead deliveries can`
        : reason.trim() === '' && !dryRun && !plan
          ? 'Add --reason "<why>", which is stored with each delivery'
          : null;
  if (problem !== null) throw new PortariaError('invalid-argument', problem);
  return printableLine(reason.trim());
}

function exitCodeOf({ discarded, left_alone: left }: DiscardView): ExitCode {
  if (left.length === 0) return exitCode.ok;
  if (discarded.length > 0) return exitCode.partial;
  return left.every(({ status }) => status === null) ? exitCode.notFound : exitCode.failed;
}

function discardText({ discarded, left_alone: left }: DiscardView, dryRun: boolean): string {
  const lines = left.map(({ id, status }) =>
    status === null
      ? `${id}: there is no such delivery`
      : `${id}: is ${status}; only pending and dead deliveries are discarded`,
  );
  const shown = discarded.slice(0, MAX_IDS_SHOWN).join(' ');
  const more = discarded.length > MAX_IDS_SHOWN ? ' …' : '';
  const which = discarded.length === 0 ? '' : `: ${shown}${more}`;
  return [
    ...lines,
    `${String(discarded.length)} ${dryRun ? 'would be discarded' : 'discarded'}${which}`,
  ].join('\n');
}
