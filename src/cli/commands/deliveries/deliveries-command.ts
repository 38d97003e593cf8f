/** `portaria deliveries`: lists, shows, retries and discards the delivery of each event to each handler. */
import type { Command } from 'commander';
import { PortariaError } from '../../../kernel/errors.ts';
import { deliveryDetail } from '../../../operate/show/delivery-detail.ts';
import { retryDeliveries } from '../../../operate/change/change-deliveries.ts';
import { retryDetails } from '../../../view/change-details.ts';
import { deliveryView, type AttemptView, type DeliveryDetailView } from '../../../view/delivery-view.ts';
import type { RetryView } from '../../../view/operation-views.ts';
import { operateOnStore, namedFilter } from '../../audited.ts';
import { exitCode, type ExitCode } from '../../exit-code.ts';
import { addDeliveryFilterOptions, deliveryFilter, type DeliveryFilterFlags } from '../../options/filters.ts';
import {
  addListOptions,
  jsonOption,
  unmaskOption,
  type DetailFlags,
  type ListFlags,
} from '../../options/list-options.ts';
import { requireHandler } from '../../known-handlers.ts';
import { deliveryColumns, handlerName } from '../../output/delivery-columns.ts';
import { printableLine } from '../../../kernel/text/printable.ts';
import { fieldLines, readableTime } from '../../output/format.ts';
import { pages, viewed } from '../../output/pages.ts';
import { writeList } from '../../output/write-list.ts';
import type { Session } from '../../session.ts';
import { orSee } from '../../with-store.ts';
import { addPlanOptions, asksForPlan, type PlanFlags } from '../jobs/plan-options.ts';
import { runPlan } from '../jobs/run-plan.ts';
import { addDeliveriesDiscard } from './deliveries-discard.ts';

type RetryFlags = DeliveryFilterFlags & PlanFlags;

export function addDeliveries(program: Command, session: Session): void {
  const deliveries = program
    .command('deliveries')
    .description('the delivery of each event to each handler, and its outcome');
  addList(deliveries, session);
  addShow(deliveries, session);
  addRetry(deliveries, session);
  addDeliveriesDiscard(deliveries, session);
}

function addList(deliveries: Command, session: Session): void {
  const command = deliveries.command('list').description('list deliveries, newest first');
  addDeliveryFilterOptions(command).addOption(unmaskOption());
  addListOptions(command).action(async (flags: DeliveryFilterFlags & ListFlags & DetailFlags) => {
    const filter = deliveryFilter(flags);
    const shown = { action: 'listDeliveries', unmasked: true, subject: namedFilter(filter) };
    await operateOnStore(session, flags.unmask ? shown : null, async (store, config) => {
      await requireHandler(store, config, flags.handler);
      const found = pages(flags.limit, (page) => store.deliveries(filter, { order: 'newest', ...page }));
      await writeList(
        session,
        viewed(found, (delivery) => deliveryView(delivery, flags)),
        { columns: deliveryColumns, json: flags.json, empty: 'No delivery matches.' },
      );
    });
  });
}

function addShow(deliveries: Command, session: Session): void {
  deliveries
    .command('show')
    .description('show one delivery and its failed attempts')
    .argument('<id>', 'for example d12')
    .addOption(unmaskOption())
    .addOption(jsonOption())
    .action(async (id: string, { unmask, json }: DetailFlags) => {
      const shown = { action: 'showDelivery', unmasked: true, subject: { id } };
      await operateOnStore(session, unmask ? shown : null, async (store) => {
        const view = await orSee('portaria deliveries list', deliveryDetail(store, id, { unmask }));
        await session.print(json ? JSON.stringify(view) : deliveryText(view));
      });
    });
}

function deliveryText(delivery: DeliveryDetailView): string {
  const fields = fieldLines({
    delivery: delivery.id,
    event: delivery.event_id,
    kind: delivery.kind,
    subject: delivery.subject,
    source: delivery.source,
    handler: handlerName(delivery),
    replay: delivery.replay ?? 'none',
    status: delivery.status,
    attempts: delivery.attempts,
    ...(delivery.due_at !== null && { 'due at': readableTime(delivery.due_at) }),
    'finished at': readableTime(delivery.finished_at) || 'not yet',
    'last error': delivery.last_error ?? 'none',
    ...(delivery.waits_for !== null && { 'waits for': delivery.waits_for }),
  });
  if (delivery.history.length === 0) return fields;
  return `${fields}\n\nFailed attempts\n${delivery.history.map(attemptText).join('\n')}`;
}

function attemptText({ attempt, outcome, ended_at, duration_ms: ms, due_at, error }: AttemptView): string {
  const took = ms === null ? '' : ` after ${String(ms)} ms`;
  const next = due_at === null ? '' : `, next ${readableTime(due_at)}`;
  return printableLine(
    `  ${readableTime(ended_at)}  ${String(attempt)} ${outcome}${took}${next}: ${error ?? 'pruned'}`,
  );
}

function addRetry(deliveries: Command, session: Session): void {
  const command = deliveries
    .command('retry')
    .description('retry dead deliveries with all their attempts; a running serve picks them up')
    .argument('[ids...]', 'for example d12; or select them with flags, such as --status dead');
  addPlanOptions(addDeliveryFilterOptions(command), { stages: true })
    .option('--dry-run', 'show what would be retried, change nothing', false)
    .option('-y, --yes', 'start a job without asking', false)
    .addOption(jsonOption())
    .action(async (ids: string[], flags: RetryFlags) => {
      const named = [...ids, ...(flags.id ?? [])];
      const filter = { ...deliveryFilter(flags), ...(named.length > 0 && { ids: named }) };
      if (Object.keys(filter).length === 0)
        throw new PortariaError(
          'invalid-argument',
          'No delivery is selected: name ids, or select with flags; --status dead selects every dead one',
        );
      const operation = { action: 'retryDeliveries', subject: namedFilter(filter) };
      const changes = !flags.dryRun && !asksForPlan(flags);
      await operateOnStore(session, changes ? operation : null, async (store, config, addDetails) => {
        await requireHandler(store, config, flags.handler);
        if (asksForPlan(flags)) return;
        const { clock } = session.terminal;
        const result = await retryDeliveries(store, { filter, clock, dryRun: flags.dryRun });
        addDetails(retryDetails(result, filter.ids));
        await session.print(flags.json ? JSON.stringify(result) : retryText(result, flags.dryRun));
        session.exitCode = retryExitCode(result);
      });
      if (asksForPlan(flags)) await runPlan(session, { action: 'retry', deliveries: filter }, flags);
    });
}

function retryExitCode({ retried, left_alone: left }: RetryView): ExitCode {
  if (left.length === 0) return exitCode.ok;
  if (retried.length > 0) return exitCode.partial;
  return left.every(({ status }) => status === null) ? exitCode.notFound : exitCode.failed;
}

function retryText({ retried, left_alone: left }: RetryView, dryRun: boolean): string {
  const lines = left.map(({ id, status }) =>
    status === null
      ? `${id}: there is no such delivery`
      : `${id}: is ${status}; only dead deliveries are retried`,
  );
  const which = retried.length === 0 ? '' : `: ${retried.join(' ')}`;
  return [...lines, `${String(retried.length)} ${dryRun ? 'would be retried' : 'retried'}${which}`].join(
    '\n',
  );
}
