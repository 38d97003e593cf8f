/** The data of released versions, which `scripts/write-release-data.mjs` writes, and what this version makes of it. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect } from 'vitest';
import { portaria, rows, serve } from '../cli/kit/in-this-process.ts';
import { untilPasses } from '../support/eventually.ts';
import { charge } from '../support/webhooks/envelopes.ts';
import { createWorkspace } from '../support/workspace.ts';

const here = import.meta.dirname;

export const versions: readonly string[] = readdirSync(here).filter((name) => /^\d/u.test(name));

/** Runs a command that lists, on a database. */
export const told = (database: string, ...args: readonly string[]) => rows(args, settingsOf(database));

/** Runs a command that must succeed, and returns what it says. */
export async function done(database: string, ...args: readonly string[]): Promise<string> {
  const { code, out, err } = await portaria(args, settingsOf(database));
  expect({ code, err }).toMatchObject({ code: 0 });
  return out;
}

function settingsOf(database: string) {
  return {
    PORTARIA_DATABASE: database,
    PORTARIA_HANDLERS: join(here, 'handlers'),
    PORTARIA_DISK_LOW: '0%,0MiB',
  };
}

/** The SQL that makes the database in PostgreSQL. */
export const releasedSql = (version: string) => unpacked(version, 'portaria.sql').toString();

/** Puts the SQLite file into a folder that is removed when the test ends. */
export function releasedFile(version: string) {
  const { database, folder } = createWorkspace();
  writeFileSync(database, unpacked(version, 'portaria.db'));
  return { database, folder };
}

function unpacked(version: string, name: string): Buffer {
  return gunzipSync(readFileSync(join(here, version, `${name}.gz`)));
}

function linesOf(version: string, name: string): readonly string[] {
  return readFileSync(join(here, version, `${name}.ndjson`), 'utf8')
    .trimEnd()
    .split('\n');
}

/** Every command says what that of the released version said; it may say more. */
export async function expectKept(database: string, version: string, written: 'sqlite' | 'postgres') {
  for (const line of linesOf(version, written)) {
    const released = JSON.parse(line) as { args: string[]; rows: object[] };
    expect(await told(database, ...released.args)).toMatchObject(released.rows);
  }
  await done(database, 'audit', 'verify');
}

/** What came before is a duplicate, also what was erased; what waited runs; and new webhooks are handled. */
export async function expectGoesOn(database: string, version: string): Promise<void> {
  const events = (await told(database, 'events', 'list', '--limit', 'all')).toReversed();
  const { url, post, stop } = await serve(settingsOf(database));
  for (const [place, body] of linesOf(version, 'webhooks').entries()) {
    const event = events[place]!;
    const newest = events.findLast((each) => each['subject'] === event['subject']);
    // Without a version, only the newest content of a subject is a repeat.
    if (event['version'] === null && event !== newest) continue;
    const response = await fetch(url, { method: 'POST', body });
    expect(await response.json()).toMatchObject({ status: 'duplicate', id: event['id'] });
  }
  await post(charge(4_711, 10));
  const waiting = () => told(database, 'deliveries', 'list', '--handler', 'waiting');
  const before = await waiting();
  expect(new Set(before.map(({ status }) => status))).toEqual(new Set(['pending']));
  await done(database, 'handlers', 'resume', 'waiting');
  const after = before.map(({ id }) => ({ id, status: 'succeeded' }));
  await untilPasses(async () => expect(await waiting()).toMatchObject(after));
  await stop();
}
