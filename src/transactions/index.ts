/** The entry point `portaria/transactions`: handlers in transactions of the user's own database. */
export type { Transaction } from '../handle/define/transaction.ts';
export { kyselyTransaction, type KyselyDatabase } from './kysely-transaction.ts';
export { pgTransaction, type PgClient, type PgPool } from './pg-transaction.ts';
export { sqliteTransaction, type SqliteDatabase } from './sqlite-transaction.ts';
