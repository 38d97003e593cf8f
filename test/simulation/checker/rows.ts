/** Reads the rows of the store's file by itself, past the code that is checked. */
import type { Database, Statement } from 'better-sqlite3';
import type { DeliveryStatus } from '../../../src/store/queries.ts';

export interface DeliveryRow {
  /** `d` and a number. */
  readonly id: string;
  readonly event: number;
  readonly handler: string;
  readonly replay: number;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  /** The name of a machine's effect. */
  readonly effect: string;
  /** The newer event because of which it was skipped. */
  readonly by: string | null;
}

export interface EventRow {
  readonly id: number;
  readonly verdict: string;
  readonly body: string | null;
  readonly repeats: number;
  readonly pruned: number | null;
  readonly flags: string;
}

export interface StateRow {
  readonly machine: string;
  readonly source: string;
  readonly subject: string;
  readonly state: string;
}

/** Of rows, at least those with these numbers, and those with a higher number than `after`. */
export interface Some {
  readonly ids: readonly number[];
  readonly after: number;
}

export interface Rows {
  deliveries(some?: Some): readonly DeliveryRow[];
  /** Those that are not finished, and dead letters. */
  openDeliveries(): readonly DeliveryRow[];
  events(some?: Some): readonly EventRow[];
  countEvents(): { readonly stored: number; readonly pruned: number };
  states(): readonly StateRow[];
  quarantined(): readonly {
    readonly source: string;
    readonly body: string;
    readonly reason: string;
    readonly status: string;
    readonly repeats: number;
  }[];
  /** Names of tables in which a text stands. */
  tablesWith(text: string): readonly string[];
  /** Lanes that wait behind deliveries that are dead letters no more. */
  wrongHolds(): readonly { readonly delivery: string; readonly status: string }[];
  runningJobs(): number;
  /** Any rows, where the tables are SQLite's. */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- whoever reads says what a row is
  readonly select?: <Row>(text: string, ...values: unknown[]) => readonly Row[];
}

export function openRows(database: Database): Rows {
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- whoever reads says what a row is
  const all = <Row>(text: string, ...values: unknown[]): readonly Row[] =>
    statement(database, text).all(...values) as Row[];
  const deliveries = `select 'd' || id as id, event_id as event, handler, replay_id as replay, status, attempts,
    effect, case when last_error like 'superseded by %' then substr(last_error, 15) end as by from deliveries`;
  const events = `select events.id, verdict, cast(body as text) as body, coalesce(repeats, 0) as repeats,
    pruned_at as pruned, flags from events left join event_repeats on event_id = events.id`;
  const those = (text: string, { ids, after }: Some): readonly [string, ...unknown[]] => [
    `${text} where id in (select value from json_each(?)) union all ${text} where id > ?`,
    JSON.stringify(ids),
    after,
  ];
  return {
    deliveries: (some) =>
      some === undefined
        ? all<DeliveryRow>(`${deliveries} order by deliveries.id`)
        : all<DeliveryRow>(...those(deliveries, some)),
    openDeliveries: () =>
      all<DeliveryRow>(`${deliveries} where finished_at is null or status = 'dead' order by deliveries.id`),
    events: (some) =>
      some === undefined
        ? all<EventRow>(`${events} order by events.id`)
        : all<EventRow>(...those(events, some)),
    countEvents: () =>
      all<{ stored: number; pruned: number }>(
        `select count(*) as stored, count(pruned_at) as pruned from events`,
      )[0] ?? { stored: 0, pruned: 0 },
    states: () =>
      all<StateRow>(
        `select machine, source, family || ':' || entity as subject, state
        from machine_states join subjects on subjects.id = subject_id`,
      ),
    quarantined: () =>
      all(`select source, cast(body as text) as body, reason, status, repeats from quarantine order by id`),
    tablesWith(text) {
      const tables = all<{ name: string }>(`select name from sqlite_master where type = 'table'`);
      return tables.flatMap(({ name }) => {
        const columns = all<{ name: string }>(`select name from pragma_table_info(?)`, name);
        const found = columns.some(
          (column) =>
            all(`select 1 from "${name}" where instr(cast("${column.name}" as text), ?) > 0 limit 1`, text)
              .length > 0,
        );
        return found ? [name] : [];
      });
    },
    wrongHolds: () =>
      all(
        `select 'd' || deliveries.id as delivery, status from pauses join deliveries on deliveries.id = delivery_id
        where status <> 'dead'`,
      ),
    select: all,
    runningJobs: () => all(`select 1 from jobs where state = 'running'`).length,
  };
}

const prepared = new WeakMap<Database, Map<string, Statement>>();

function statement(database: Database, text: string): Statement {
  const known = prepared.get(database) ?? new Map<string, Statement>();
  prepared.set(database, known);
  const found = known.get(text) ?? database.prepare(text);
  known.set(text, found);
  return found;
}
