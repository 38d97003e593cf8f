import pg from 'pg';

/** Rows of a statement. */
const CHUNK = 250_000;

/** Entity ids of copies, beyond those of the generators. */
const FIRST_ENTITY = 8_000_000_000;

/** The settings of a server that loses what it is filled with when it fails. */
const FAST = { fsync: 'off', max_wal_size: "'32GB'", checkpoint_timeout: "'1h'" };

/** Indexes that are built afterwards, because their values come in no order. */
const IN_NO_ORDER = ['subjects_by_name', 'subjects_by_entity', 'events_by_subject'];

/**
 * The columns in which a copy differs from the first row of a table; `i` is the copy's number, `subject` its subject's.
 *
 * @type {Readonly<Record<string, Readonly<Record<string, string>>>>}
 */
const OWN = {
  subjects: {
    id: 'i',
    entity: `(i + ${FIRST_ENTITY})::text`,
    latest_event: 'i',
  },
  events: {
    id: 'i',
    subject_id: 'subject',
    digest: 'sha256(i::text::bytea)',
    digest_key: "('x' || left(encode(sha256(i::text::bytea), 'hex'), 12))::bit(48)::bigint",
  },
  event_contents: { event_id: 'i' },
  deliveries: { id: 'i', event_id: 'i', lane: 'subject' },
};

/**
 * Copies the only event of a store in PostgreSQL, with its subject and its delivery, which is finished, until there are as many as
 * wanted. Each subject has several events.
 *
 * @param {string} address
 * @param {{ events: number, perSubject: number }} options
 */
export async function fillPostgres(address, { events, perSubject }) {
  const client = new pg.Client({ connectionString: address });
  // A server that is stopped meanwhile fails the next statement.
  client.on('error', () => undefined);
  await client.connect();
  try {
    for (const [name, value] of Object.entries(FAST))
      await client.query(`alter system set ${name} = ${value}`);
    await client.query('select pg_reload_conf()');
    const restore = await dropIndexes(client);
    const subjects = Math.ceil(events / perSubject);
    for (const table of Object.keys(OWN)) {
      const rows = table === 'subjects' ? subjects : events;
      await copyRows(client, table, rows, subjects);
      if (table !== 'event_contents')
        await client.query(`select setval(pg_get_serial_sequence($1, 'id'), $2)`, [table, rows]);
    }
    await restore();
    await client.query('update event_counts set events = $1 where events > 0', [events]);
    await client.query(
      "update delivery_counts set deliveries = $1 where status = 'succeeded' and deliveries > 0",
      [events],
    );
    await client.query('update counted_events set through = $1', [events]);
    await client.query('update received_counts set events = $1', [events]);
    await client.query("update row_counts set rows = $1 where name = 'subjects'", [subjects]);
    await client.query('vacuum analyze');
    await client.query('checkpoint');
    await client.query('alter system reset all');
    await client.query('select pg_reload_conf()');
  } finally {
    await client.end();
  }
}

/** @param {import('pg').Client} client */
async function dropIndexes(client) {
  const { rows } = await client.query(
    'select indexname, indexdef from pg_indexes where indexname = any($1)',
    [IN_NO_ORDER],
  );
  for (const { indexname } of rows) await client.query(`drop index ${indexname}`);
  return async () => {
    for (const { indexdef } of rows) await client.query(indexdef);
  };
}

/**
 * @param {import('pg').Client} client
 * @param {string} table
 * @param {number} count
 * @param {number} subjects
 */
async function copyRows(client, table, count, subjects) {
  const { rows } = await client.query(
    `select attname as name from pg_attribute
    where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = '' order by attnum`,
    [table],
  );
  const names = rows.map(({ name }) => name);
  const values = names.map((name) => OWN[table]?.[name] ?? `template.${name}`);
  for (let first = 2; first <= count; first += CHUNK)
    await client.query(`
      insert into ${table} (${names.join(', ')})
      select ${values.join(', ')}
      from (select * from ${table} order by 1 limit 1) as template,
        (
          select i, (i - 1) % ${subjects} + 1 as subject
          from generate_series(${first}::bigint, ${Math.min(first + CHUNK - 1, count)}::bigint) as copies (i)
        ) as numbers`);
}
