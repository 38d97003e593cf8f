/** Databases on the server of the tests. */
import pg from 'pg';
import { inject, onTestFinished } from 'vitest';

let created = 0;

/** Creates a database without tables, which is dropped when the test ends. Returns its address. */
export async function emptyDatabase(): Promise<string> {
  const name = await createDatabase();
  onTestFinished(() => run('postgres', `drop database ${name} with (force)`));
  return urlOf(name);
}

/** @param template the database to copy */
export async function createDatabase(template = 'template0'): Promise<string> {
  created += 1;
  const name = `portaria_${String(process.pid)}_${String(created)}`;
  const admin = await connect('postgres');
  try {
    const { rows } = await admin.query<{ server_version_num: string }>('show server_version_num');
    // PostgreSQL 14 copies files anyway.
    const strategy = Number(rows[0]?.server_version_num) < 150_000 ? '' : 'strategy file_copy';
    await admin.query(`create database ${name} template ${template} ${strategy}`);
  } finally {
    await admin.end();
  }
  return name;
}

/** Runs one statement on a connection of its own. */
export async function run(
  database: string,
  text: string,
  parameters: readonly unknown[] = [],
): Promise<void> {
  const client = await connect(database);
  try {
    await client.query(text, parameters.length === 0 ? undefined : [...parameters]);
  } finally {
    await client.end();
  }
}

/** Connects until the test ends. */
export async function connected(url: string): Promise<pg.Client> {
  const client = await connectTo(url);
  onTestFinished(() => client.end());
  return client;
}

export function connect(database: string): Promise<pg.Client> {
  return connectTo(urlOf(database));
}

async function connectTo(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString, application_name: 'tests' });
  // The tests end connections.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/** The address of a database by its name. */
export function urlOf(database: string): string {
  const url = new URL(inject('postgresUrl'));
  url.pathname = `/${database}`;
  return url.href;
}
