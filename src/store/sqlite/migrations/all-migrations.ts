import { firstTables } from './first-tables.ts';
import type { Migration } from './migration.ts';

/** In order. */
export const allMigrations: readonly Migration[] = [firstTables];
