import { preparePostgres } from '../../../scripts/postgres/programs.mjs';

/** Fetches PostgreSQL before tests that start servers of their own; they are skipped if that fails. */
export default async function prepare(): Promise<void> {
  await preparePostgres();
}
