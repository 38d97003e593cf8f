/** `portaria deliveries retry` and `discard`: at once, or planned and run as a job. */
import type { Command } from 'commander';
import type { Config } from '../../../config/config.ts';
import type { PlanRequest } from '../../../jobs/plan-request.ts';
import { PortariaError } from '../../../kernel/errors.ts';
import { printableLine } from '../../../kernel/text/printable.ts';
import {
  discardable,
  discardDeliveries,
  retryDeliveries,
} from '../../../operate/change/change-deliveries.ts';
import type { DeliveryFilter } from '../../../store/queries.ts';
import type { Store } from '../../../store/store.ts';
import { discardDetails, retryDetails } from '../../../view/change-details.ts';
import { deliveryView } from '../../../view/delivery-view.ts';
import { namedFilter, operateOnStore, type AddDetails } from '../../audited.ts';
import { knownHandlers, requireHandler } from '../../known-handlers.ts';
import { lookedUp } from '../../options/company-option.ts';
import { addDeliveryFlags, selectedDeliveries, type DeliveryFlags } from '../../options/filters.ts';
import { jsonOption } from '../../options/list-options.ts';
import { reportChange } from '../../output/report-change.ts';
import type { Session } from '../../session.ts';
import { addOvertakenOption, addPlanOptions, asksForPlan, type PlanFlags } from '../jobs/plan-options.ts';
import { runPlan } from '../jobs/run-plan.ts';

interface ChangeFlags extends DeliveryFlags, PlanFlags {
  readonly reason?: string;
  readonly includeOvertaken?: boolean;
}

/** Retried deliveries of which it is said what they wait for. */
const MAX_NAMED = 20;

/** Makes a change at once. */
type Change = (store: Store, addDetails: AddDetails, config: Config) => Promise<void>;

export function addRetry(deliveries: Command, session: Session): void {
  const command = deliveries
    .command('retry')
    .description('retry dead deliveries with all their attempts; a running serve picks them up')
    .argument('[ids...]', 'for example d12; or select them with flags, such as --status dead');
  addOvertakenOption(addChangeFlags(command, true)).action(async (ids: string[], flags: ChangeFlags) => {
    const asked = requireSelection(selectedDeliveries(flags, ids));
    const { includeOvertaken = false } = flags;
    const retry: Change = async (store, addDetails, config) => {
      const { clock } = session.terminal;
      const newestOnly = includeOvertaken ? [] : (await knownHandlers(store, config)).registry.newestOnly;
      const filter = await lookedUp(session, store, asked);
      const result = await retryDeliveries(store, { filter, clock, newestOnly, dryRun: false });
      addDetails(retryDetails(result, filter.ids));
      const some = { ids: result.retried.slice(0, MAX_NAMED) };
      const read = await store.deliveries(some, { order: 'oldest', limit: MAX_NAMED });
      for (const { id, waits_for: what } of read.map((one) => deliveryView(one, { unmask: false })))
        if (what !== null) await session.note(`note: ${id} waits for ${what}`);
      await reportChange(session, flags, {
        ...{ result, changed: result.retried, done: 'retried' },
        stays: (status, by) =>
          by === undefined
            ? status === null
              ? 'there is no such delivery'
              : `is ${status}; only dead deliveries are retried`
            : `is overtaken: its handler handles the later event ${by} before it; discard it, or retry it with --include-overtaken`,
      });
    };
    await changeOrPlan(session, flags, { action: 'retry', deliveries: asked, includeOvertaken }, retry);
  });
}

/** `portaria deliveries discard`: ends deliveries that nobody needs any more. */
export function addDiscard(deliveries: Command, session: Session): void {
  const command = deliveries
    .command('discard')
    .description('end pending and dead deliveries as skipped, also those of handlers that no longer exist')
    .argument('[ids...]', 'for example d12; or select them with flags, such as --handler old-billing')
    .option(
      '--reason <text>',
      'why, stored with each delivery after your name and the time; no personal data',
    )
    .addHelpText(
      'after',
      '\n`portaria replay --id <event>` runs the handlers of a discarded event again.\nAs a job it discards dead deliveries, unless --status pending is given.\n',
    );
  addChangeFlags(command, false).action(async (ids: string[], flags: ChangeFlags) => {
    const asked = requireSelection(selectedDeliveries(flags, ids));
    const reason = requireDiscardable(flags);
    const discard: Change = async (store, addDetails) => {
      const { clock, user: by } = session.terminal;
      const filter = await lookedUp(session, store, asked);
      const result = await discardDeliveries(store, { filter, clock, by, why: reason });
      addDetails(discardDetails(result, filter.ids));
      await reportChange(session, flags, {
        ...{ result, changed: result.discarded, done: 'discarded' },
        stays: (status) =>
          status === null
            ? 'there is no such delivery'
            : `is ${status}; only pending and dead deliveries are discarded`,
      });
    };
    await changeOrPlan(session, flags, { action: 'discard', deliveries: asked, reason }, discard);
  });
}

function addChangeFlags(command: Command, stages: boolean): Command {
  return addPlanOptions(addDeliveryFlags(command), { stages })
    .option('--dry-run', 'the same as --plan', false)
    .option('-y, --yes', 'start a job without asking', false)
    .addOption(jsonOption());
}

/** Makes the change at once, unless the flags ask for its plan or for a job. */
async function changeOrPlan(
  session: Session,
  flags: ChangeFlags,
  request: Extract<PlanRequest, { readonly action: 'retry' | 'discard' }>,
  change: Change,
): Promise<void> {
  const isPlanned = flags.dryRun || asksForPlan(flags);
  const operation = {
    action: `${request.action}Deliveries`,
    subject: namedFilter(request.deliveries),
    ...(request.action === 'discard' && { reason: request.reason }),
  };
  await operateOnStore(session, isPlanned ? null : operation, async (store, config, addDetails) => {
    await requireHandler(store, config, flags.handler);
    if (!isPlanned) await change(store, addDetails, config);
  });
  if (isPlanned) await runPlan(session, () => request, flags);
}

/** @throws PortariaError `invalid-argument` */
function requireSelection(filter: DeliveryFilter): DeliveryFilter {
  if (Object.keys(filter).length > 0) return filter;
  throw new PortariaError(
    'invalid-argument',
    'No delivery is selected: name ids, or select with flags; --status dead selects every dead one',
  );
}

/** Returns the reason. @throws PortariaError `invalid-argument` */
function requireDiscardable({ reason = '', status, dryRun, plan }: ChangeFlags): string {
  if (status !== undefined && !discardable.includes(status))
    throw new PortariaError(
      'invalid-argument',
      `--status ${status} cannot be discarded: only pending and dead deliveries can`,
    );
  if (reason.trim() === '' && !dryRun && !plan)
    throw new PortariaError('invalid-argument', 'Add --reason "<why>", which is stored with each delivery');
  return printableLine(reason.trim());
}
