import { machineOf } from '../handle/define/effects-name.ts';
import type { HandlerContext } from '../handle/define/handler-context.ts';
import type { Logger } from '../kernel/logger.ts';
import type { ClaimedDelivery } from '../store/lane-queue.ts';
import type { LazySignal } from './lazy-signal.ts';

/**
 * What the handler is told beside the event. Its logger names the delivery and
 * nothing of the payload. Signal, logger and client are made when they are first looked at.
 */
export function deliveryContext(
  delivery: ClaimedDelivery,
  options: {
    readonly signal: LazySignal;
    readonly log: Logger;
    readonly client: (() => HandlerContext['client']) | null;
  },
): HandlerContext {
  const { id, event, handler, attempt, replay } = delivery;
  let log: Logger | undefined;
  return {
    attempt,
    replay: replay !== null,
    get signal() {
      return options.signal.get();
    },
    get log() {
      return (log ??= options.log.child({ delivery: id, event: event.id, handler, kind: event.kind }));
    },
    get client() {
      return options.client?.() ?? null;
    },
    idempotencyKey: idempotencyKey(delivery),
    receivedAt: new Date(event.receivedAt),
  };
}

/** `<event id>/<handler>` or `<event id>/<machine>/<effect>`: no attempt and no replay in it. */
function idempotencyKey({ event, handler, effect }: ClaimedDelivery): string {
  if (effect === null) return `${event.id}/${handler}`;
  return `${event.id}/${machineOf(handler)}/${effect.name}`;
}
