import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { manualClock } from '../../../testing/manual-clock.ts';
import { createConnection } from '../sql/connection.ts';
import { createRowCounts } from './row-counts.ts';
import { emptyDatabase } from '../../../../test/support/empty-store.ts';

const statuses = ['pending', 'running', 'succeeded'] as const;
const delivery = fc.record({ handler: fc.constantFrom('a', 'b'), replayId: fc.constantFrom(0, 1, 2) });
const event = fc.record({
  kind: fc.constantFrom('company.created', 'company.updated'),
  recognized: fc.constantFrom(0, 1),
  verdict: fc.constantFrom('new', 'stale'),
});
const change = fc.oneof(
  fc.record({ is: fc.constant('stored'), event, at: fc.nat() }),
  fc.record({ is: fc.constant('repeated'), event }),
  fc.record({ is: fc.constant('enqueued'), delivery, count: fc.nat({ max: 9 }) }),
  fc.record({
    is: fc.constant('moved'),
    delivery,
    from: fc.constantFrom(...statuses),
    to: fc.constantFrom(...statuses),
  }),
);
/** The changes of a transaction, which may be rolled back. */
const transaction = fc.record({ changes: fc.array(change, { maxLength: 24 }), undone: fc.boolean() });

function openCounts() {
  const database = emptyDatabase();
  const counts = createRowCounts(createConnection(database, 'abcdef', manualClock()));
  return { database, counts };
}

type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

/** The sums that the tables should hold, computed change by change. */
function summed(changes: readonly Change[]) {
  const sums = new Map<string, number>();
  const add = (key: string, by: number): void => void sums.set(key, (sums.get(key) ?? 0) + by);
  for (const each of changes) {
    if (each.is === 'stored' || each.is === 'repeated') {
      const { kind, recognized, verdict } = each.event;
      add(`${each.is} ${kind} ${String(recognized)} ${verdict}`, 1);
      continue;
    }
    const { handler, replayId } = each.delivery;
    const moves: readonly (readonly [string, number])[] =
      each.is === 'enqueued'
        ? [['pending', each.count]]
        : [
            [each.from, -1],
            [each.to, 1],
          ];
    for (const [status, by] of moves) {
      add(`${handler} ${status}`, by);
      if (replayId > 0) add(`replay ${String(replayId)} ${status}`, by);
    }
  }
  return Object.fromEntries([...sums].filter(([, sum]) => sum !== 0).toSorted());
}

test('the tables of counts hold the sums of all changes, except those rolled back', () => {
  fc.assert(
    fc.property(fc.array(transaction, { maxLength: 6 }), (transactions) => {
      const { database, counts } = openCounts();
      const note = (each: Change): void => {
        if (each.is === 'stored') counts.eventStored(each.event, each.at);
        if (each.is === 'repeated') counts.eventRepeated(each.event);
        if (each.is === 'enqueued') counts.deliveryStored(each.delivery, 'pending', each.count);
        if (each.is === 'moved') counts.deliveryMoved(each.delivery, each.from, each.to);
      };
      for (const { changes, undone } of transactions) {
        database.exec('begin');
        for (const each of changes) note(each);
        counts.beforeCommit?.();
        database.exec(undone ? 'rollback' : 'commit');
        if (undone) counts.undone();
        else counts.committed();
      }

      const rows = database
        .prepare<[], { key: string; sum: number }>(
          `select 'stored ' || kind || ' ' || recognized || ' ' || verdict as key, events as sum from event_counts
           union all select 'repeated ' || kind || ' ' || recognized || ' ' || verdict, repeats from event_counts
           union all select handler || ' ' || status, deliveries from delivery_counts
           union all select 'replay ' || replay_id || ' ' || status, deliveries from replay_counts`,
        )
        .all();
      const counted = rows.filter(({ sum }) => sum !== 0).map(({ key, sum }) => [key, sum] as const);
      const kept = transactions.flatMap(({ changes, undone }) => (undone ? [] : changes));
      expect(Object.fromEntries(counted.toSorted())).toEqual(summed(kept));
      database.close();
    }),
  );
});
