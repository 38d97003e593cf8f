import type { Provider } from '../provider.ts';
import type { Outbox } from './outbox.ts';
import { prepareOutboxReads, prepareOutboxWrites } from './outbox-statements.ts';

/**
 * The outbox over the provider's own connection, in turn with transactions: what
 * they have not committed must not be sent, and what the sender writes must not
 * be taken back with somebody else's change.
 */
export function openLocalOutbox({ sqlite, query }: Pick<Provider, 'sqlite' | 'query'>): Outbox {
  const reads = prepareOutboxReads(sqlite);
  const write = prepareOutboxWrites(sqlite);
  // The lock is taken for as long as the work takes, which is not asynchronous inside.
  const inTurn = <T>(work: () => T): Promise<T> => query.connection().execute(async () => work());
  return {
    endpoints: () => inTurn(() => reads.endpoints()),
    newest: () => inTurn(() => reads.newest()),
    recordedAfter: (id) => inTurn(() => reads.recordedAfter(id)),
    pendingAfter: (lane, id) => inTurn(() => reads.pendingAfter(lane, id)),
    dueAside: (lane, now) => inTurn(() => reads.dueAside(lane, now)),
    nextAside: (lane) => inTurn(() => reads.nextAside(lane)),
    waitingAside: () => inTurn(() => reads.waitingAside()),
    settle: (settled, repeats) =>
      inTurn(() => {
        write(settled, repeats);
      }),
  };
}
