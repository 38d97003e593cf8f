import type { Replays, ReplayTraits } from '../replays.ts';
import type { Connection } from './connection.ts';
import { deliveredNames, selectedEvents, traitColumns, traitsOf } from './replay-selection.ts';

/** The events that a replay is about, page by page. */
export function createReadReplayEvents(connection: Connection): Replays['replayEvents'] {
  const { database, ids } = connection;
  return async (selection, limit) => {
    const events = selectedEvents(connection, selection);
    if (events === undefined) return [];
    const page = events
      .select('events.id')
      .select(traitColumns)
      .select(deliveredNames(selection))
      .orderBy('events.id')
      .limit(limit)
      .compile();
    // As arrays: the binding takes longer to put rows together than SQLite to find them.
    const rows = database
      .prepare<unknown[], PageRow>(page.sql)
      .raw()
      .all(...page.parameters);
    const known = new Map<string, ReplayTraits>();
    return rows.map(([id, kind, recognized, verdict, succeeded, in_status]) => {
      const key = `${kind} ${String(recognized)} ${verdict} ${succeeded} ${in_status}`;
      const there = known.get(key);
      if (there !== undefined) return { id: ids.event(id), traits: there };
      const traits = traitsOf({ kind, recognized, verdict, succeeded, in_status });
      known.set(key, traits);
      return { id: ids.event(id), traits };
    });
  };
}

/** In the order in which a page selects them. */
type PageRow = readonly [
  id: number,
  kind: string,
  recognized: number,
  verdict: string,
  succeeded: string,
  in_status: string,
];
