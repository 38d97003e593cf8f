import { beforeEach, inject } from 'vitest';
import { needsPostgres } from './postgres-server.ts';

/** Skips the tests of this project on a machine without PostgreSQL, and says why. */
beforeEach((context) => {
  if (inject('postgresUrl') === '') context.skip(needsPostgres());
});
