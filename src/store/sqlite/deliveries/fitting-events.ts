import { sql } from 'kysely';
import type { Connection } from '../sql/connection.ts';
import type { StartedDelivery } from './started-delivery.ts';
import { prepare, type Named } from '../sql/statement.ts';
import { valuesOf } from '../sql/values-of.ts';

/** Bodies that are held in memory, and read in one go, while their deliveries wait for slots. */
const MAX_BYTES = 4 * 1024 * 1024;

/** The first of these deliveries whose bodies fit: all as a rule, one at least. Never throws. */
export type FittingEvents = (started: readonly StartedDelivery[]) => readonly StartedDelivery[];

export function createFittingEvents({ database, query }: Connection): FittingEvents {
  const sumUp = prepare(database, (p: Named<{ ids: string }>) =>
    query
      .selectFrom('events')
      // SQLite knows the length of a body without reading it.
      .select(sql<number>`total(length(body))`.as('bytes'))
      .where('id', 'in', valuesOf<number>(p.ids)),
  );
  const bytesOf = (started: readonly StartedDelivery[]): number =>
    sumUp.get({ ids: JSON.stringify(started.map((row) => row.event_id)) })?.bytes ?? 0;

  return (started) => {
    let fitting = started;
    try {
      while (fitting.length > 1 && bytesOf(fitting) > MAX_BYTES)
        fitting = fitting.slice(0, Math.floor(fitting.length / 2));
    } catch {
      // Whoever reads them then is told why they cannot be read, and gives them back.
      return started;
    }
    return fitting;
  };
}
