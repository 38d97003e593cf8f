/** Books each paid charge exactly once, in a database of one's own. */
import { DatabaseSync } from 'node:sqlite';
import { defineHandler } from 'portaria';

/** @param {string} file */
export function openPayments(file) {
  const database = new DatabaseSync(file);
  database.exec(`
    create table if not exists handled (key text primary key);
    create table if not exists payments (charge integer not null, amount real not null);
  `);
  const remember = database.prepare('insert or ignore into handled (key) values (?)');
  const book = database.prepare('insert into payments (charge, amount) values (?, ?)');
  const all = database.prepare('select charge, amount from payments');

  /** Books a payment and remembers its key in one transaction: both happen, or neither. */
  function bookOnce(key, charge, amount) {
    database.exec('begin immediate');
    try {
      const isNew = remember.run(key).changes === 1;
      if (isNew) book.run(charge, amount);
      database.exec('commit');
      return isNew;
    } catch (error) {
      database.exec('rollback');
      throw error;
    }
  }

  const handler = defineHandler({
    name: 'payments',
    on: 'charge.updated',
    handle({ data }, { idempotencyKey, log }) {
      if (data.status !== 'paid') return;
      const isNew = bookOnce(idempotencyKey, data.id, data.amount ?? 0);
      log.info({ charge: data.id }, isNew ? 'booked' : 'was booked before');
    },
  });
  return { handler, all: () => all.all(), close: () => database.close() };
}
