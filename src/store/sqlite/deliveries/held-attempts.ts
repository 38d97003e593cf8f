import { sql } from 'kysely';

/**
 * The tries of a held delivery once its outcome is recorded: what was claimed
 * ahead has counted none so far, and it was its first.
 */
export const countedTries = sql<number>`max(attempts, 1)`;

/** Its tries when this one is not to count. */
export const triesBefore = sql<number>`max(attempts - 1, 0)`;
