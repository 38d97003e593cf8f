import { beforeEach, inject } from 'vitest';
import { needsPostgres } from '../../../scripts/postgres/programs.mjs';

/** Skips the tests of this project on a machine without PostgreSQL, and says why. */
beforeEach((context) => {
  if (inject('postgresUrl') === '') context.skip(needsPostgres());
});
