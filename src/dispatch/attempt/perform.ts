/** Runs the code of a delivery: a handler, a machine's fold, or an effect. */
import { type Change, type Machine, machineOf } from '../../handle/define/machine.ts';
import { holdsLane } from './classify.ts';
import { GiveUp } from '../../handle/define/outcome.ts';
import type { HandlerContext } from '../../handle/define/handler-context.ts';
import { inTransaction, transactionKey } from '../../handle/define/in-transaction.ts';
import { foldDelivery, type FoldReads } from '../../handle/fold/fold-delivery.ts';
import { createFoldMemory } from '../../handle/fold/fold-memory.ts';
import type { Runnable } from '../../handle/load/registry.ts';
import { PortariaError } from '../../kernel/errors.ts';
import type { Logger } from '../../kernel/logger.ts';
import type { ClaimedDelivery, MachineCommit } from '../../store/lane-queue.ts';
import type { RunningAttempts } from './running-attempts.ts';
import type { LazySignal, RunEnd, RunWithin } from './time-limit.ts';

/** How a run ended and, for a successful fold, the machine state to store with its outcome. */
export interface Performance {
  readonly end: RunEnd;
  readonly machine?: MachineCommit;
}

/** Runs a delivery: its handler, its machine's fold, or one of its effects. Never throws. */
export type Perform = (delivery: ClaimedDelivery, runnable: Runnable) => Performance | Promise<Performance>;

export function createPerform(deps: {
  readonly store: FoldReads;
  readonly runWithin: RunWithin;
  readonly log: Logger;
  /** The provider's API for handlers; null when its address or key is not set. */
  readonly client: ((source: string, traceparent: string | null) => HandlerContext['client']) | null;
  readonly shutdown: AbortSignal;
  /** Notes what runs, for a watchdog. */
  readonly running?: RunningAttempts | undefined;
}): Perform {
  const { store, runWithin, log, client, shutdown, running } = deps;
  const memory = createFoldMemory();

  /** Folds are pure and quick and have no time limit. Only shutdown interrupts a long history. */
  async function fold(delivery: ClaimedDelivery, machine: Machine): Promise<Performance> {
    try {
      const commit = await foldDelivery(machine, delivery, store, memory);
      return { end: { how: 'returned', value: undefined }, machine: commit };
    } catch (error) {
      // A failing store is not the machine's failure and must not cost an attempt.
      const outside =
        PortariaError.is(error) && (error.code.startsWith('store-') || error.code === 'stopping');
      if (!outside) return { end: { how: 'threw', error } };
      return { end: shutdown.aborted ? { how: 'stopped' } : { how: 'stopped', because: error.message } };
    }
  }

  function run(delivery: ClaimedDelivery, runnable: Runnable): Performance | Promise<Performance> {
    if (runnable.type === 'fold') return fold(delivery, runnable.machine);
    const definition = runnable.type === 'handler' ? runnable.handler : runnable.machine;
    const { timeoutMs, transaction, onReplay } = definition;
    const end = runWithin(
      (signal) => {
        const context = createContext(delivery, signal, log, client);
        const work = (): unknown =>
          runnable.type === 'handler'
            ? runnable.handler.handle(delivery.event, context)
            : runEffect(delivery, runnable.machine, context);
        if (transaction === undefined) return work();
        const key = transactionKey(context.idempotencyKey, delivery.replay, onReplay);
        const inOwn = (tx: unknown): unknown => {
          Object.assign(context, { tx });
          return work();
        };
        return inTransaction(transaction, inOwn, { key, timeoutMs, signal: () => signal.get() });
      },
      { timeoutMs, holder: delivery.holder },
    );
    return end instanceof Promise ? end.then((ended) => ({ end: ended })) : { end };
  }

  if (running === undefined) return run;
  return (delivery, runnable) => {
    const slot = running.begin(delivery, holdsLane(runnable));
    const performance = run(delivery, runnable);
    running.returned();
    if (!(performance instanceof Promise)) {
      running.end(slot);
      return performance;
    }
    return performance.then((ended) => {
      running.end(slot);
      return ended;
    });
  };
}

function runEffect(delivery: ClaimedDelivery, machine: Machine, context: HandlerContext): unknown {
  const { event } = delivery;
  const effect = machine.effects.find(({ name }) => name === delivery.effect?.name);
  if (effect === undefined || delivery.effect === null)
    return GiveUp(`machine ${machine.name} no longer has an effect ${delivery.effect?.name ?? ''}`);
  const { change, late } = delivery.effect;
  const { before, after } = change as unknown as Pick<Change, 'before' | 'after'>;
  return effect.run({ before, after, event, late }, context);
}

/** Its logger names the delivery, never the payload. Signal, logger and client are created on first use. */
function createContext(
  delivery: ClaimedDelivery,
  signal: LazySignal,
  parentLog: Logger,
  createClient: ((source: string, traceparent: string | null) => HandlerContext['client']) | null,
): HandlerContext {
  const { id, event, handler, attempt, replay, traceparent } = delivery;
  let log: Logger | undefined;
  let client: HandlerContext['client'] | undefined;
  return {
    attempt,
    replay: replay !== null,
    get signal() {
      return signal.get();
    },
    get log() {
      return (log ??= parentLog.child({ delivery: id, event: event.id, handler, kind: event.kind }));
    },
    get client() {
      return (client ??= createClient?.(event.source, traceparent) ?? null);
    },
    traceparent,
    idempotencyKey: idempotencyKey(delivery),
    receivedAt: event.receivedAt,
  };
}

/** `<event id>/<handler>` or `<event id>/<machine>/<effect>`: the same for each attempt and replay. */
function idempotencyKey({ event, handler, effect }: ClaimedDelivery): string {
  if (effect === null) return `${event.id}/${handler}`;
  return `${event.id}/${machineOf(handler)}/${effect.name}`;
}
