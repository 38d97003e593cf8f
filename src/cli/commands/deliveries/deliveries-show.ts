import type { Command } from 'commander';
import { deliveryView, type DeliveryView } from '../../../view/delivery-view.ts';
import { notFound } from '../../not-found.ts';
import { jsonOption } from '../../options/list-options.ts';
import { handlerName } from '../../output/delivery-columns.ts';
import { fieldLines } from '../../output/field-lines.ts';
import { readableTime } from '../../output/readable-time.ts';
import type { Session } from '../../session.ts';
import { withStore } from '../../with-store.ts';

export function addDeliveriesShow(deliveries: Command, session: Session): void {
  deliveries
    .command('show')
    .description('one delivery')
    .argument('<id>', 'for example d12')
    .addOption(jsonOption())
    .action(async (id: string, { json }: { json: boolean }) => {
      await withStore(session, async (store) => {
        const [delivery] = await store.deliveries({ ids: [id] }, { order: 'newest', limit: 1 });
        const view = deliveryView(delivery ?? notFound('delivery', id));
        await session.print(json ? JSON.stringify(view) : deliveryText(view));
      });
    });
}

function deliveryText(delivery: DeliveryView): string {
  return fieldLines({
    delivery: delivery.id,
    event: delivery.event_id,
    kind: delivery.kind,
    subject: delivery.subject,
    source: delivery.source,
    handler: handlerName(delivery),
    replay: delivery.replay ?? 'none',
    status: delivery.status,
    attempts: delivery.attempts,
    'due at': readableTime(delivery.due_at) || 'not waiting',
    'finished at': readableTime(delivery.finished_at) || 'not yet',
    'last error': delivery.last_error ?? 'none',
  });
}
