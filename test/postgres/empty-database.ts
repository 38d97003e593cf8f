import pg from 'pg';
import { inject, onTestFinished } from 'vitest';

let created = 0;

/** Creates a database without tables, which is dropped when the test ends. Returns its address. */
export async function emptyDatabase(options = ''): Promise<string> {
  created += 1;
  const name = `portaria_empty_${String(process.pid)}_${String(created)}`;
  const admin = await connect(inject('postgresUrl'));
  await admin.query(`create database ${name} template template0 ${options}`);
  onTestFinished(async () => {
    await admin.query(`drop database ${name} with (force)`);
    await admin.end();
  });
  const url = new URL(inject('postgresUrl'));
  url.pathname = `/${name}`;
  return url.href;
}

/** Connects until the test ends. */
export async function connected(url: string): Promise<pg.Client> {
  const client = await connect(url);
  onTestFinished(() => client.end());
  return client;
}

async function connect(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString, application_name: 'tests' });
  // The tests end connections.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}
