/** Runs handlers in tests. */
import { ok } from 'node:assert';
import type { EventKind } from '../contract/catalogue.ts';
import { specification } from '../contract/specification.ts';
import type { StoredEvent } from '../event/stored-event.ts';
import { wantsEvent } from '../handle/define/definition.ts';
import type { Handler } from '../handle/define/handler.ts';
import { inTransaction } from '../handle/define/in-transaction.ts';
import type { HandlerContext } from '../handle/define/handler-context.ts';
import type { OwnEvent, TypedEvent } from '../handle/define/handler-event.ts';
import { withStrictValues } from '../handle/define/strict-values.ts';
import type { KindDefinition } from '../handle/kinds/kind-definition.ts';
import { testContext } from './test-context.ts';

/**
 * Runs a handler, in its transaction if it has one, and returns what it returned or threw, so that a test need not know which:
 *
 * ```ts
 * assert(isRetryLater(await handlerOutcome(handler, testEvent('charge.updated'))));
 * ```
 *
 * @returns undefined for most handlers that succeed; the requested outcome; or the error that was thrown
 * @throws AssertionError when the handler does not receive the event, because it would never run for it
 */
export async function handlerOutcome(
  handler: Handler,
  event: StoredEvent | TypedEvent<EventKind> | OwnEvent<KindDefinition>,
  context: HandlerContext = testContext(),
): Promise<unknown> {
  const strict = withStrictValues(handler, specification);
  ok(wantsEvent(handler, event), `${handler.name} does not receive ${event.kind}`);
  const { transaction, timeoutMs } = handler;
  try {
    if (transaction === undefined) return await strict.handle(event, context);
    return await inTransaction(
      transaction,
      (tx) => strict.handle(event, Object.assign(Object.create(context) as HandlerContext, { tx })),
      { key: context.idempotencyKey, timeoutMs, signal: () => context.signal },
    );
  } catch (error) {
    return error;
  }
}
