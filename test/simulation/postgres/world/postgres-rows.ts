/** Reads the rows of PostgreSQL by itself, past the code that is checked. */
import type { DeliveryRow, EventRow, Rows, StateRow } from '../../checker/rows.ts';
import type { Server } from '../server/server.ts';

/** Numbers of events in PostgreSQL have gaps, and those of the model have none: they are in the order of commits. */
export class EventNumbers {
  readonly #numbers = new Map<number, number>();

  /** @returns the number that the model gives to the event */
  add(row: number): number {
    const number = this.#numbers.size + 1;
    this.#numbers.set(row, number);
    return number;
  }

  has(row: number): boolean {
    return this.#numbers.has(row);
  }

  /** 0 for an event that the model does not know. */
  of(row: number): number {
    return this.#numbers.get(row) ?? 0;
  }
}

/** Whose body is gone is pruned: its day may be, and no column of it says so. */
const events = `
  select events.id::float8 as row, source, verdict, convert_from(body, 'UTF8') as body, message_id as message,
    coalesce(repeats, 0)::float8 as repeats,
    case when body is null then coalesce(pruned_at, 1)::float8 end as pruned, flags
  from events join subjects on subjects.id = subject_id
    left join event_contents on event_contents.event_id = events.id
    left join event_repeats on event_repeats.event_id = events.id`;

export interface StoredEvent extends EventRow {
  readonly row: number;
  readonly source: string;
  readonly message: string | null;
}

/** Events from a number of PostgreSQL on. */
export function readEvents(server: Server, from: number): readonly StoredEvent[] {
  return server.rows<StoredEvent>(`${events} where events.id >= $1 order by events.id`, from);
}

const deliveries = `
  select 'd' || id as id, event_id::float8 as event, handler, replay_id::float8 as replay, status, attempts,
    effect, case when last_error like 'superseded by %' then substr(last_error, 15) end as by from deliveries`;

/** Reads all rows also where some are asked for: there are few. */
export function openPostgresRows(server: Server, numbers: EventNumbers): Rows {
  const read = (condition: string): readonly DeliveryRow[] =>
    server
      .rows<DeliveryRow>(`${deliveries} where ${condition} order by deliveries.id`)
      .map((row) => ({ ...row, event: numbers.of(row.event) }));
  return {
    deliveries: () => read('true'),
    openDeliveries: () => read(`finished_at is null or status = 'dead'`),
    events: () =>
      readEvents(server, 0)
        .map((row) => ({ ...row, id: numbers.of(row.row) }))
        .toSorted((one, other) => one.id - other.id),
    countEvents: () =>
      server.rows<{ stored: number; pruned: number }>(
        `select count(*)::integer as stored, (count(*) - count(event_contents.event_id))::integer as pruned
        from events left join event_contents on event_contents.event_id = events.id`,
      )[0] ?? { stored: 0, pruned: 0 },
    states: () =>
      server.rows<StateRow>(
        `select machine, source, family || ':' || entity as subject, state
        from machine_states join subjects on subjects.id = subject_id`,
      ),
    quarantined: () =>
      server.rows(
        `select source, convert_from(body, 'UTF8') as body, reason, status, repeats::float8 as repeats
        from quarantine order by id`,
      ),
    tablesWith(text) {
      const columns = server.rows<{ table: string; column: string; type: string }>(
        `select table_name as table, column_name as column, data_type as type from information_schema.columns
        where table_schema = 'public' and data_type in ('text', 'bytea') order by 1, 2`,
      );
      const found = columns.filter(({ table, column, type }) => {
        const value = type === 'bytea' ? `convert_to($1, 'UTF8')` : '$1::text';
        const rows = server.rows(
          `select from "${table}" where position(${value} in "${column}") > 0 limit 1`,
          text,
        );
        return rows.length > 0;
      });
      return [...new Set(found.map(({ table }) => table))];
    },
    wrongHolds: () =>
      server.rows(
        `select 'd' || deliveries.id as delivery, status from pauses join deliveries on deliveries.id = delivery_id
        where status <> 'dead'`,
      ),
    runningJobs: () => server.rows(`select from jobs where state = 'running'`).length,
  };
}
