import { foldDelivery } from '../handle/fold/fold-delivery.ts';
import { GiveUp } from '../handle/define/outcome.ts';
import type { Change, Machine } from '../handle/define/machine.ts';
import type { Runnable } from '../handle/load/registry.ts';
import { PortariaError } from '../kernel/errors.ts';
import type { ClaimedDelivery, MachineCommit } from '../store/lane-queue.ts';
import { deliveryContext } from './delivery-context.ts';
import type { DispatchParts } from './dispatch-parts.ts';
import type { RunEnd } from './time-limit.ts';

/** How it ended and, for a fold that went well, what is to be stored with that. */
export interface Performance {
  readonly end: RunEnd;
  readonly machine?: MachineCommit;
}

/** Calls what the delivery is for: a handler, a machine's fold or one of its effects. Never throws. */
export function performDelivery(
  delivery: ClaimedDelivery,
  runnable: Runnable,
  parts: DispatchParts,
): Performance | Promise<Performance> {
  if (runnable.type === 'fold') return fold(delivery, runnable.machine, parts);
  const { runWithin, log, client } = parts;
  const { timeoutMs } = runnable.type === 'handler' ? runnable.handler : runnable.machine;
  const end = runWithin((signal) => {
    const context = deliveryContext(delivery, { signal, log, client });
    if (runnable.type === 'handler') return runnable.handler.handle(delivery.event, context);
    const effect = runnable.machine.effects.find(({ name }) => name === delivery.effect?.name);
    if (effect === undefined || delivery.effect === null) return missingEffect(delivery, runnable.machine);
    const change = delivery.effect.change as unknown as Pick<Change, 'before' | 'after'>;
    const { before, after } = change;
    return effect.run({ before, after, event: delivery.event, late: delivery.effect.late }, context);
  }, timeoutMs);
  return end instanceof Promise ? end.then((settled) => ({ end: settled })) : { end };
}

/**
 * Folds are pure and quick, so no time limit is on them: what takes time is
 * the store, which is waited for as long as it takes. Only a long history is
 * broken off when the process has no more time.
 */
async function fold(delivery: ClaimedDelivery, machine: Machine, parts: DispatchParts): Promise<Performance> {
  const { store, withRetry, shutdown } = parts;
  try {
    const commit = await foldDelivery(
      machine,
      delivery,
      {
        machineState: (...key) => withRetry(() => store.machineState(...key), shutdown),
        versionOrder: (request) => withRetry(() => store.versionOrder(request), shutdown),
        hasDiedOf: (...key) => withRetry(() => store.hasDiedOf(...key), shutdown),
        storedEvents: (ids) =>
          withRetry(() => {
            if (shutdown.aborted) throw new PortariaError('stopping', 'no time is left for the history');
            return store.storedEvents(ids);
          }, shutdown),
      },
      parts.folds,
    );
    return { end: { how: 'returned', value: undefined }, machine: commit };
  } catch (error) {
    // The store's trouble is not the machine's: no try is burnt, and `withRetry` has waited before it gave up.
    const outside = PortariaError.is(error) && (error.code.startsWith('store-') || error.code === 'stopping');
    if (!outside) return { end: { how: 'threw', error } };
    return { end: shutdown.aborted ? { how: 'stopped' } : { how: 'stopped', because: error.message } };
  }
}

function missingEffect({ effect }: ClaimedDelivery, { name }: Machine): GiveUp {
  return GiveUp(`machine ${name} has no effect ${effect?.name ?? ''} (any more)`);
}
