/** `portaria deliveries`: lists, shows, retries and discards the delivery of each event to each handler. */
import type { Command } from 'commander';
import { deliveryDetail } from '../../../operate/show/delivery-detail.ts';
import { deliveryView, type AttemptView, type DeliveryDetailView } from '../../../view/delivery-view.ts';
import { operateOnStore, namedFilter } from '../../audited.ts';
import { addDeliveryFlags, selectedDeliveries, type DeliveryFlags } from '../../options/filters.ts';
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
import { lookedUp } from '../../options/company-option.ts';
import type { Store } from '../../../store/store.ts';
import { orSee } from '../../with-store.ts';
import { addDiscard, addRetry } from './deliveries-change.ts';

export function addDeliveries(program: Command, session: Session): void {
  const deliveries = program
    .command('deliveries')
    .description('the delivery of each event to each handler, and its outcome');
  addList(deliveries, session);
  addShow(deliveries, session);
  addRetry(deliveries, session);
  addDiscard(deliveries, session);
}

function addList(deliveries: Command, session: Session): void {
  const command = deliveries.command('list').description('list deliveries, newest first');
  addDeliveryFlags(command).addOption(unmaskOption());
  addListOptions(command).action(async (flags: DeliveryFlags & ListFlags & DetailFlags) => {
    const asked = selectedDeliveries(flags);
    const shown = { action: 'listDeliveries', unmasked: true, subject: namedFilter(asked) };
    await operateOnStore(session, flags.unmask ? shown : null, async (store, config) => {
      await requireHandler(store, config, flags.handler);
      const filter = await lookedUp(session, store, asked);
      const found = pages(flags.limit, (page) => store.deliveries(filter, { order: 'newest', ...page }));
      const statuses = new Set<string>();
      const shownRows = viewed(found, (delivery) => {
        statuses.add(delivery.status);
        return deliveryView(delivery, flags);
      });
      await writeList(session, shownRows, {
        columns: deliveryColumns,
        json: flags.json,
        empty: 'No delivery matches.',
      });
      if (statuses.has('running')) await noteInterrupted(session, store);
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
        if (view.status === 'running') await noteInterrupted(session, store);
      });
    });
}

/** A process that died leaves its deliveries as they were: the next one finds them. */
async function noteInterrupted(session: Session, store: Store): Promise<void> {
  if ((await store.processes()).length === 0)
    await session.note(
      'note: no process runs. What is shown as running was interrupted; the next start runs it again.',
    );
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
