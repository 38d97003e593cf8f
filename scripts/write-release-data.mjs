#!/usr/bin/env node
/**
 * Writes data of the built version, on SQLite and on PostgreSQL, for `npm run test:upgrade`, with what the commands of
 * that version say of it. Run it once for each release, after `npm run build`: released data never changes.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { packageJson, root } from './bootstrap/paths.mjs';
import { postgresProgram } from './postgres/programs.mjs';
import { startPostgresServer } from './postgres/server.mjs';

const program = join(root, 'dist', 'src', 'cli', 'main.js');
const { version } = JSON.parse(readFileSync(packageJson, 'utf8'));
const released = join(root, 'test', 'upgrade', version);

/** What an upgrade keeps. */
const TOLD = [
  ['events', 'list', '--limit', 'all'],
  ['deliveries', 'list', '--limit', 'all'],
  ['quarantine', 'list'],
  ['machines', 'list'],
  ['privacy', 'hold', 'list'],
  ['privacy', 'receipts'],
  ['handlers', 'pauses'],
  ['jobs', 'list'],
];

const events = join(root, 'fixtures', 'events');
const webhooks = readdirSync(events).map((name) =>
  JSON.stringify(JSON.parse(readFileSync(join(events, name), 'utf8'))),
);

const working = mkdtempSync(join(tmpdir(), 'portaria-release-data-'));
mkdirSync(released, { recursive: true });
writeFileSync(join(released, 'webhooks.ndjson'), `${webhooks.join('\n')}\n`);
try {
  const file = join(working, 'portaria.db');
  await fill('sqlite', file);
  portaria(file, 'backup', join(working, 'backup.db'));
  keep('portaria.db', readFileSync(join(working, 'backup.db')));

  const server = await startPostgresServer();
  await fill('postgres', server.url);
  const dump = ['--inserts', '--no-owner', '--no-privileges', server.url];
  const sql = execFileSync(postgresProgram('pg_dump') ?? 'pg_dump', dump, {
    encoding: 'utf8',
    maxBuffer: 1e8,
  });
  // Neither comments, nor commands of psql, nor settings that an older server does not know.
  keep('portaria.sql', sql.replaceAll(/^(--|\\|SET ).*\n/gmu, ''));
  await server.stop();
} finally {
  rmSync(working, { recursive: true });
}

/**
 * @param {string} name
 * @param {string} database
 */
async function fill(name, database) {
  const serving = spawn(process.execPath, [program, 'serve'], { env: environment(database) });
  const { listening } = await new Promise((resolve, reject) => {
    createInterface({ input: serving.stdout }).on('line', (line) => {
      if (line.includes('"listening"')) resolve(JSON.parse(line));
    });
    serving.once('close', () => reject(new Error('serve ended before it was ready')));
  });
  portaria(database, 'handlers', 'pause', 'waiting', '--reason', 'until the next version');
  const held = ['{"type":', '{"type":"charge.updated","data":{}}'];
  for (const body of [...webhooks, ...webhooks.slice(0, 3), ...held])
    await fetch(listening, { method: 'POST', body });
  await settled(database);
  portaria(database, 'deliveries', 'retry', '--status', 'dead', '--staged', '--yes');
  await settled(database);
  portaria(database, 'privacy', 'hold', 'add', 'company:12', '--reason', 'a lawsuit');
  portaria(database, 'privacy', 'erase', 'user-login:34', '--reason', 'asked', '--yes');
  serving.kill('SIGTERM');
  await once(serving, 'close');
  const lines = TOLD.map((args) => JSON.stringify({ args, rows: rows(database, ...args) }));
  writeFileSync(join(released, `${name}.ndjson`), `${lines.join('\n')}\n`);
}

/**
 * Waits until nothing runs but what is paused.
 *
 * @param {string} database
 */
async function settled(database) {
  const unfinished = () =>
    ['pending', 'running'].flatMap((status) => rows(database, 'deliveries', 'list', '--status', status));
  while (unfinished().some(({ handler }) => handler !== 'waiting')) await pause(50);
}

/**
 * @param {string} database
 * @param {readonly string[]} args
 * @returns {Record<string, unknown>[]}
 */
function rows(database, ...args) {
  const lines = portaria(database, ...args, '--json').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line));
}

/**
 * @param {string} database
 * @param {readonly string[]} args
 */
function portaria(database, ...args) {
  const options = /** @type {const} */ ({ env: environment(database), encoding: 'utf8' });
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], options);
  // 5: what is retried fails again.
  if (status !== 0 && status !== 5) throw new Error(`portaria ${args.join(' ')} failed: ${stderr}`);
  return stdout;
}

/** @param {string} database */
function environment(database) {
  return {
    PATH: process.env['PATH'],
    PORTARIA_DATABASE: database,
    PORTARIA_HANDLERS: join(root, 'test', 'upgrade', 'handlers'),
    PORTARIA_PORT: '0',
    PORTARIA_OPS_PORT: '0',
    PORTARIA_LOG_FORMAT: 'json',
  };
}

/**
 * @param {string} name
 * @param {string | Buffer} content
 */
function keep(name, content) {
  writeFileSync(join(released, `${name}.gz`), gzipSync(content, { level: 9 }));
}
