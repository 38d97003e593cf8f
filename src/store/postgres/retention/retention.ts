/** What retention does in PostgreSQL's own way. */
import { sql } from 'kysely';
import type { Retention } from '../../retention.ts';
import type { Connection } from '../sql/connection.ts';
import { createPruneWrites, type PruneParts } from '../../shared/retention/prune-rows.ts';
import { run } from '../../shared/sql/statements.ts';
import { deliveryParts } from '../deliveries/change-deliveries.ts';
import { unnestOf } from '../sql/expressions.ts';
import { transacted } from '../sql/perform.ts';
import { createPrunableEvents } from './prunable-events.ts';
import { pruneDay } from './prune-day.ts';
import { pruneEvents } from './prune-events.ts';
import { giveBackSpace } from './space.ts';

const pruneParts: PruneParts = {
  moved: deliveryParts.moved,
  lockRows: sql`for no key update`,
  *uncountDropped(entries) {
    yield* run(sql`
      insert into quarantine_counts (verified, reason, dropped, dropped_bytes)
      select verified, reason, -count(*), -sum(bytes)
      from ${unnestOf('removed', entries, {
        verified: ['smallint', ({ verified }) => verified],
        reason: ['text', ({ reason }) => reason],
        bytes: ['bigint', ({ bytes }) => bytes],
      })}
      group by verified, reason`);
  },
  // See prunable-events.ts.
  andFirstBody: () => sql``,
};

/** Finds and prunes old content. Any process may prune; one at a time does. */
export function createRetention(
  connection: Connection,
): Omit<Retention, 'prunableQuarantine' | 'prunableDeliveries'> {
  const { transact, clock } = connection;
  return {
    ...createPrunableEvents(connection),
    // Not `transactLanes`: a hold would come in between its tries.
    pruneEvents: (request) => transact((transaction) => pruneEvents(transaction, request)),
    pruneDay: (request) => pruneDay(connection, request),
    ...transacted(transact, createPruneWrites(connection, pruneParts)),
    giveBackSpace: () => giveBackSpace(connection, clock.now()),
  };
}
