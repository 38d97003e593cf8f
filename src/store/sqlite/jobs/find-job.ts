/** Reads a job inside a transaction that changes it. */
import { rowOf } from '../../shared/ids.ts';
import { noJob, type JobRow } from '../../shared/jobs/job-record.ts';
import type { Connection } from '../sql/connection.ts';
import { rowsNow } from '../sql/statement.ts';

/** @throws PortariaError `not-found` */
export function findJob({ database, query }: Connection, id: string): JobRow {
  const wanted = query
    .selectFrom('jobs')
    .selectAll()
    .where('id', '=', rowOf('j', id) ?? 0);
  const [row] = rowsNow<JobRow>(database, wanted);
  if (row === undefined) throw noJob(id);
  return row;
}
