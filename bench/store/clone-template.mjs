import { closeSync, fsyncSync, openSync } from 'node:fs';
import Database from 'better-sqlite3';

/** Rows for each statement. */
const CHUNK = 100_000;

/**
 * The columns in which a copy differs from the template, the row with id 1. `d.i` is
 * the copy's number, `@shift` its distance from the entity's id.
 *
 * @type {Readonly<Record<string, Readonly<Record<string, string>>>>}
 */
const OWN = {
  subjects: { id: 'd.i', entity: 'cast(d.i + @shift as text)', latest_event: 'd.i' },
  events: {
    id: 'd.i',
    subject_id: 'd.i',
    digest_key: 'first_six_bytes(d.digest)',
    digest: 'd.digest',
    body: 'cast(replace(cast(t.body as text), cast(1 + @shift as text), cast(d.i + @shift as text)) as blob)',
  },
  deliveries: { id: 'd.i', event_id: 'd.i', lane: 'd.i' },
};

/** @type {Readonly<Record<string, string>>} */
const COUNTED = { event_counts: 'events', delivery_counts: 'deliveries' };

/**
 * Copies the only event of a store, with its subject and delivery, until there are
 * `count` events. Indexes and triggers are dropped and restored. No other process may
 * use the store.
 *
 * @param {string} file
 * @param {object} options
 * @param {number} options.count number of events in the end
 * @param {number} options.shift the template's entity id minus 1
 */
export function cloneTemplate(file, { count, shift }) {
  const database = new Database(file);
  database.function('first_six_bytes', (digest) => /** @type {Buffer} */ (digest).readUIntBE(0, 6));
  for (const fast of [
    'journal_mode = off',
    'synchronous = off',
    'foreign_keys = off',
    'cache_size = -200000',
  ]) {
    database.pragma(fast);
  }
  const restore = dropDerived(database);
  const copies = Object.keys(OWN)
    .filter((table) => database.prepare(`select 1 from ${table} where id = 1`).get() !== undefined)
    .map((table) => prepareCopy(database, table));

  database.exec('begin');
  for (let first = 2; first <= count; first += CHUNK) {
    const last = Math.min(first + CHUNK - 1, count);
    for (const copy of copies) copy.run(integers({ first, last, shift }));
  }
  for (const [table, column] of Object.entries(COUNTED)) {
    database.prepare(`update ${table} set ${column} = ? where ${column} = 1`).run(count);
  }
  restore();
  database.exec('commit');
  database.close();
  flush(file);
}

/**
 * better-sqlite3 binds numbers as floating point; BigInts stay integers.
 *
 * @param {Readonly<Record<string, number>>} numbers
 */
function integers(numbers) {
  return Object.fromEntries(Object.entries(numbers).map(([name, number]) => [name, BigInt(number)]));
}

/**
 * @param {import('better-sqlite3').Database} database
 * @param {string} table
 */
function prepareCopy(database, table) {
  const columns = /** @type {{ name: string }[]} */ (database.pragma(`table_info(${table})`)).map(
    ({ name }) => name,
  );
  const values = columns.map((column) => OWN[table]?.[column] ?? `t.${column}`);
  const shifted = values.some((value) => value.includes('@shift')) ? '' : ' and @shift = @shift';
  return database.prepare(`
    with recursive n(i) as (select @first union all select i + 1 from n where i < @last),
    d as materialized (select i, randomblob(32) as digest from n)
    insert into ${table} (${columns.join(', ')})
    select ${values.join(', ')} from d cross join ${table} as t where t.id = 1${shifted}`);
}

/**
 * Building an index is faster than maintaining it, and the triggers' counts are known.
 *
 * @param {import('better-sqlite3').Database} database
 */
function dropDerived(database) {
  const derived = /** @type {{ type: string, name: string, sql: string }[]} */ (
    database
      .prepare(
        "select type, name, sql from sqlite_schema where type in ('index', 'trigger') and sql is not null",
      )
      .all()
  );
  for (const { type, name } of derived) database.exec(`drop ${type} ${name}`);
  return () => {
    for (const { sql } of derived) database.exec(sql);
  };
}

/**
 * Writes pages that the system would otherwise write during a measurement.
 *
 * @param {string} file
 */
function flush(file) {
  const descriptor = openSync(file, 'r+');
  fsyncSync(descriptor);
  closeSync(descriptor);
}
