/** Reads machines as a whole, by the indexes of phases and of anomalies alone. */
import { sql, type SqlBool } from 'kysely';
import type { MachineOverview, PhaseFilter } from '../../machine-overview.ts';
import { machineNames } from '../retention/folding-machines.ts';
import { machineState } from '../../shared/machines/machine-record.ts';
import {
  countedSubjects,
  MAX_COMBINATIONS,
  MAX_COUNTED_SUBJECTS,
  phasesIn,
} from '../../shared/machines/phase-counts.ts';
import type { Connection } from '../sql/connection.ts';
import { rowsNow } from '../sql/statement.ts';
import { selectStates } from './machine-reads.ts';

export function createPhaseReads(connection: Connection): MachineOverview {
  const { database, query, ids } = connection;

  /** The different combinations of a machine, by one look-up in the index for each. */
  function combinations(machine: string): readonly string[] {
    const least = sql<string | null>`(
      select min(phases) from machine_states where machine = ${machine} and phases > found.phases
    )`;
    const rows = query
      .withRecursive('found', (found) =>
        found
          .selectFrom('machine_states')
          .select(({ fn }) => fn.min<string | null>('phases').as('phases'))
          .where('machine', '=', machine)
          .unionAll(
            found.selectFrom('found').select(least.as('phases')).where('found.phases', 'is not', null),
          ),
      )
      .selectFrom('found')
      .select('phases')
      .where('phases', 'is not', null)
      .limit(sql.lit(MAX_COMBINATIONS));
    return rowsNow<{ phases: string }>(database, rows).map(({ phases }) => phases);
  }

  function countOf(machine: string, phases: string): number {
    const rows = query
      .selectFrom('machine_states')
      .select('subject_id')
      .where('machine', '=', machine)
      .where('phases', '=', phases)
      .limit(sql.lit(MAX_COUNTED_SUBJECTS + 1));
    const count = query.selectFrom(rows.as('some')).select(({ fn }) => fn.countAll<number>().as('found'));
    return rowsNow<{ found: number }>(database, count)[0]?.found ?? 0;
  }

  function subjectsIn(
    { machine, anomalous }: PhaseFilter,
    phases: string | null,
    after: number,
    limit: number,
  ): readonly number[] {
    let rows = query
      .selectFrom('machine_states')
      .select('subject_id')
      .where('machine', '=', machine)
      .where('subject_id', '>', after);
    if (phases !== null) rows = rows.where('phases', '=', phases);
    // A literal, so that SQLite sees that the index of anomalies fits.
    if (anomalous === true) rows = rows.where(sql<SqlBool>`anomalies > 0`);
    return rowsNow<{ subject_id: number }>(database, rows.orderBy('subject_id').limit(sql.lit(limit))).map(
      (row) => row.subject_id,
    );
  }

  return {
    machineNames: () => Promise.resolve(machineNames(connection)),
    phaseCounts(machine) {
      const counts = combinations(machine).map((phases) => ({
        phases: phasesIn(phases),
        ...countedSubjects(countOf(machine, phases)),
      }));
      return Promise.resolve(counts);
    },
    anomalousSubjects(machine) {
      return Promise.resolve(
        countedSubjects(subjectsIn({ machine, anomalous: true }, null, 0, MAX_COUNTED_SUBJECTS + 1).length),
      );
    },
    async statesInPhase(filter, { limit, after }) {
      const { machine, phase } = filter;
      const from = after === undefined ? 0 : Number(after);
      const wanted =
        phase === undefined
          ? [null]
          : combinations(machine).filter((phases) => phasesIn(phases).includes(phase));
      const found = wanted
        .flatMap((phases) => subjectsIn(filter, phases, from, limit + 1))
        .toSorted((one, other) => one - other);
      const shown = found.slice(0, limit);
      const rows = await selectStates(connection)
        .where('machine', '=', machine)
        .where('subject_id', 'in', shown)
        .orderBy('subject_id')
        .execute();
      return {
        states: rows.map((row) => machineState(row, ids)),
        cursor: found.length > limit ? String(shown.at(-1)) : null,
      };
    },
    async latestAnomalies(machine, limit) {
      const rows = await query
        .selectFrom('anomalies')
        .innerJoin('subjects', 'subjects.id', 'anomalies.subject_id')
        .select(['anomalies.event_id', 'anomalies.message'])
        .select(['subjects.source', 'subjects.family', 'subjects.entity'])
        .where('anomalies.machine', '=', machine)
        .orderBy('anomalies.id', 'desc')
        .limit(limit)
        .execute();
      return rows.map((row) => ({
        machine,
        eventId: ids.event(row.event_id),
        message: row.message,
        source: row.source,
        subject: { family: row.family, id: row.entity },
      }));
    },
  };
}
