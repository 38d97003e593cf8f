/** All methods of `Retention` on a store in PostgreSQL. */
import { sql } from 'kysely';
import type { Retention } from '../../retention.ts';
import type { Connection } from '../sql/connection.ts';
import { createPrunableReads } from '../../shared/retention/prunable-reads.ts';
import { createPrunableEvents } from './prunable-events.ts';
import { pruneDay } from './prune-day.ts';
import { pruneEvents } from './prune-events.ts';
import { pruneDeliveries, pruneQuarantine } from './prune-rows.ts';
import { giveBackSpace } from './space.ts';

/** Finds and prunes old content. Any process may prune; one at a time does. */
export function createRetention(connection: Connection): Retention {
  const { transact, clock } = connection;
  return {
    ...createPrunableReads(connection),
    ...createPrunableEvents(connection),
    // Not `transactLanes`: a hold would come in between its tries.
    pruneEvents: (request) => transact((transaction) => pruneEvents(transaction, request)),
    pruneDay: (request) => pruneDay(connection, request),
    pruneQuarantine: (rows, before) => transact((transaction) => pruneQuarantine(transaction, rows, before)),
    pruneDeliveries: (rows, before) => transact((transaction) => pruneDeliveries(transaction, rows, before)),
    // `firstBody` needs no record here: see prunable-events.ts.
    async recordPruning({ lastRunAt, nextRunAt }) {
      await transact(({ session }) =>
        session.run(sql`
          update retention set last_run_at = coalesce(${lastRunAt ?? null}, last_run_at),
            next_run_at = ${nextRunAt === undefined ? sql`next_run_at` : nextRunAt}`),
      );
    },
    giveBackSpace: () => giveBackSpace(connection, clock.now()),
  };
}
