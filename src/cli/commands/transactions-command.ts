/** `portaria transactions`: what a database needs so that handlers run in its transactions. */
import { Option, type Command } from 'commander';
import { KEYS_TABLE } from '../../handle/define/transaction.ts';
import type { Session } from '../session.ts';

/** Databases whose table of keys can be printed. */
const keyDatabases = ['pg', 'sqlite'] as const;

const columns = {
  pg: `key text primary key,
  handled_at timestamptz not null default now()`,
  sqlite: `key text primary key,
  handled_at text not null default current_timestamp`,
};

/** The statements that create the table of keys. Old keys are found by their time. */
export function keysDdl(database: (typeof keyDatabases)[number]): string {
  return `create table ${KEYS_TABLE} (
  ${columns[database]}
);
create index ${KEYS_TABLE}_at on ${KEYS_TABLE} (handled_at);`;
}

export function addTransactions(program: Command, session: Session): void {
  const transactions = program
    .command('transactions')
    .description('handlers in transactions of your own database: what it needs');
  transactions
    .command('ddl')
    .description('print the table of keys: create it once, as the owner of the tables that handlers write to')
    .addOption(
      new Option('--for <database>', 'the kind of database').choices([...keyDatabases]).makeOptionMandatory(),
    )
    .action(async (flags: { readonly for: (typeof keyDatabases)[number] }) => {
      await session.print(keysDdl(flags.for));
    });
}
