/** Books each paid charge exactly once, in a database of one's own. */
import { DatabaseSync } from 'node:sqlite';
import { defineHandler } from 'portaria';
import { sqliteTransaction } from 'portaria/transactions';

/** @param {string} file */
export function openPayments(file) {
  const database = new DatabaseSync(file);
  // The first table is what `portaria transactions ddl --for sqlite` prints.
  database.exec(`
    create table if not exists portaria_handled (
      key text primary key,
      handled_at text not null default current_timestamp
    );
    create table if not exists payments (charge integer not null, amount real not null);
  `);
  const book = database.prepare('insert into payments (charge, amount) values (?, ?)');
  const all = database.prepare('select charge, amount from payments');

  const handler = defineHandler({
    name: 'payments',
    on: 'charge.updated',
    transaction: sqliteTransaction(database),
    handle({ data }, { log }) {
      if (data.status !== 'paid') return;
      book.run(data.id, data.amount ?? 0);
      log.info({ charge: data.id }, 'booked');
    },
  });
  return { handler, all: () => all.all(), close: () => database.close() };
}
