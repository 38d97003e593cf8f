/** Given a full disk: webhooks get 503, no acknowledged event is lost, and it recovers without a restart. */
import { execFileSync } from 'node:child_process';
import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { startPager } from '../support/pager.ts';
import { portaria, rows, serve, startServe, type RunningPortaria } from '../support/running-portaria.ts';
import { createWorkspace } from '../support/workspace.ts';
import { writeBookkeeping } from './kit/bookkeeping.ts';
import { printFigures } from './kit/figures.ts';
import { fillDatabase } from './kit/filled-store.ts';
import { inspectStore, integrityCheck, storedBodies } from './kit/inspect-store.ts';
import { need } from './kit/needs.ts';
import { createSenders } from './kit/senders/senders.ts';
import { mountSmallDisk } from './kit/disk/small-disk.ts';
import { strace } from './kit/disk/system-calls.ts';
import { allHandled } from './kit/statistics.ts';
import { chargeBody, charges } from './kit/senders/webhooks.ts';

const SENDERS = 4;
/** The number of acknowledgements expected after a little room was made. */
const RESUMED_A_LITTLE = 20;
/** The number of 503 responses to see before room is made. */
const REJECTED = 40;
/** The number of acknowledgements to see after room was made. */
const RESUMED = 100;

/** An invalid body that goes to quarantine and needs new pages. */
const LONG_AND_INVALID = `{"type":"charge.updated","data":{"odd":"${'x'.repeat(65_536)}"}}`;

const health = async ({ url }: RunningPortaria): Promise<number> =>
  (await fetch(new URL('/healthz', url))).status;

/** Sends until the disk is full, makes room, and sends on. Then checks that no acknowledged event is missing. */
async function fillAndMakeRoom(
  what: string,
  database: string,
  running: RunningPortaria,
  makeRoom: () => void,
  makeLittleRoom?: () => void,
): Promise<void> {
  const senders = createSenders(Array.from({ length: SENDERS }, (_, sender) => charges(sender)));
  const sending = senders.sendTo(running.url);
  const rejected = (): number => senders.rejections.get(503) ?? 0;

  await eventually('the disk is full', () => rejected() >= REJECTED);
  for (const body of [chargeBody(99, 1), LONG_AND_INVALID]) {
    const response = await fetch(running.url, { method: 'POST', body });
    expect(response.status).toBe(503);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
  }
  expect(await health(running)).toBe(503);
  const whenFull = senders.acknowledged.size;

  if (makeLittleRoom !== undefined) {
    makeLittleRoom();
    const enough = whenFull + RESUMED_A_LITTLE;
    await eventually('it goes on with a little room', () => senders.acknowledged.size >= enough);
  }
  makeRoom();
  await eventually('it goes on by itself', () => senders.acknowledged.size >= whenFull + RESUMED);
  expect(await health(running)).toBe(200);
  senders.stop();
  await sending;
  const { deliveries } = await allHandled(running);
  running.kill('SIGTERM');
  expect(await running.ended).toMatchObject({ code: 0 });

  const stored = (await inspectStore(database, storedBodies)).map(({ body }) => body);
  const kept = new Set(stored);
  const lost = [...senders.acknowledged.keys()].filter((body) => !kept.has(body));
  printFigures(`disk full, ${what}`, {
    'acknowledged-until-full': whenFull,
    rejected: rejected(),
    'acknowledged-in-total': senders.acknowledged.size,
    stored: stored.length,
    'handled-deliveries': deliveries.succeeded,
    lost: lost.length,
  });
  expect([...senders.rejections.keys()]).toEqual([503]);
  expect(lost).toEqual([]);
  expect(stored).toHaveLength(senders.acknowledged.size);
  expect(kept.size).toBe(stored.length);
  // Each charge reaches the handler, the machine and the machine's effect.
  expect(deliveries).toMatchObject({ succeeded: 3 * stored.length, dead: 0 });
  expect(integrityCheck(database)).toBe('ok');
}

test('recovers from a full small disk', async (context) => {
  need(context, 'mount');
  const workspace = createWorkspace();
  writeBookkeeping(workspace);
  const disk = mountSmallDisk(join(workspace.folder, 'disk'), 'size=2m');
  const database = join(disk.folder, 'portaria.db');
  const running = await serve({ PORTARIA_DATABASE: database, PORTARIA_HANDLERS: workspace.handlers });

  const resize = (size: string) => () => {
    disk.remount(`size=${size}`);
  };
  // Less than the log needs on a large disk.
  await fillAndMakeRoom('tmpfs of 2 MiB', database, running, resize('64m'), resize('2560k'));
});

/** Lines of an export: old events of 10 kB each. */
function oldEvents(count: number): string {
  const line = (id: number): string => {
    const body = JSON.stringify({ type: 'any.thing', data: { id, text: 'x'.repeat(10_000) } });
    return JSON.stringify({
      received_at: new Date(1_700_000_000_000 + id).toISOString(),
      source: 'default',
      headers: {},
      message_id: null,
      body: Buffer.from(body).toString('base64'),
    });
  };
  return Array.from({ length: count }, (_, id) => line(id)).join('\n');
}

/** Takes all that is left of a disk. */
function fill(folder: string): void {
  const descriptor = openSync(join(folder, 'filler'), 'a');
  try {
    for (;;) writeSync(descriptor, Buffer.alloc(4096));
  } catch (error) {
    expect(error).toMatchObject({ code: 'ENOSPC' });
  } finally {
    closeSync(descriptor);
  }
}

test('on a full disk what reads works, serve starts, and what frees room makes room for webhooks', async (context) => {
  need(context, 'mount');
  const { folder } = createWorkspace();
  const disk = mountSmallDisk(join(folder, 'disk'), 'size=16m');
  const env = { PORTARIA_DATABASE: join(disk.folder, 'portaria.db') };
  const lines = join(folder, 'lines.ndjson');
  writeFileSync(lines, oldEvents(400));
  expect(await portaria(['events', 'import', '--no-handlers', lines], env)).toMatchObject({ code: 0 });
  const first = await serve(env);
  first.kill('SIGTERM');
  expect(await first.ended).toMatchObject({ code: 0 });

  for (const args of [
    ['events', 'list', '--limit', '5'],
    ['stats'],
    ['events', 'prune', '--older', '30d', '--dry-run'],
    ['events', 'export', '--file', join(folder, 'export.ndjson')],
    ['backup', join(folder, 'backup.db')],
    ['privacy', 'find', 'cpf:52998224725'],
  ]) {
    fill(disk.folder);
    const { code, err } = await portaria(args, env);
    expect([args, code, err]).toEqual([args, 0, expect.not.stringContaining('warning')]);
  }

  fill(disk.folder);
  const { settings, told } = await startPager();
  const running = await serve({ ...env, ...settings });
  fill(disk.folder);
  const post = () => fetch(running.url, { method: 'POST', body: chargeBody(0, 0) });
  expect((await post()).status).toBe(503);
  expect(await health(running)).toBe(503);
  expect((await fetch(running.operators, { headers: { accept: 'text/html' } })).status).toBe(200);
  await eventually('the outage is told while it lasts', () => told().includes('began store-unavailable'));

  const stats = (await (await fetch(new URL('api/stats', running.operators))).json()) as object;
  expect(stats).toMatchObject({ outages: [{ cause: 'store', ended_at: null, refused: null }] });
  expect((await portaria(['doctor'], env)).out).toMatch(/^FIX +writing +.*the disk is full: make room/m);

  const { code, out } = await portaria(['events', 'prune', '--older', '30d', '--yes'], env);
  expect([code, out]).toEqual([0, expect.stringContaining('400 events')]);
  await eventually('there is room', async () => (await post()).status === 202);
  await eventually('its end is told', () => told().includes('ended store-unavailable'));
  expect(running.written()).toMatch(/"store\.back".*"refused":[1-9]|"refused":[1-9].*"store\.back"/u);
  expect(await health(running)).toBe(200);
  expect((await portaria(['doctor'], env)).out).toMatch(/^ok +reserve/m);
  expect(await rows(['stats'], env)).toMatchObject([{ outages: [{ cause: 'store', handler: null }] }]);
  running.kill('SIGTERM');
  expect(await running.ended).toMatchObject({ code: 0 });
});

test('recovers from a limit of the size of files', async () => {
  const workspace = createWorkspace();
  writeBookkeeping(workspace);
  const env = workspace.settings;
  const running = await startServe(env, ['prlimit', '--fsize=700000:']).ready();

  await fillAndMakeRoom('files of 700 kB', workspace.database, running, () => {
    execFileSync('prlimit', ['--pid', String(running.pid), '--fsize=unlimited:']);
  });
});

test('a quota that is used up is a full disk', async (context) => {
  need(context, 'strace');
  const { database, folder } = createWorkspace();
  await fillDatabase(database, []);
  const written = ['-P', `${database}-wal`, '-P', `${database}.probe`];
  const tracing = strace(join(folder, 'trace'), ...written, '-e', 'inject=pwrite64:error=EDQUOT:when=60+');
  const running = await startServe({ PORTARIA_DATABASE: database }, tracing).ready();
  let response = await fetch(running.url, { method: 'POST', body: chargeBody(0, 0) });
  for (let version = 1; response.status === 202 && version < 100; version += 1)
    response = await fetch(running.url, { method: 'POST', body: chargeBody(0, version) });

  expect(response.status).toBe(503);
  expect(await health(running)).toBe(503);
  running.kill('SIGTERM');
  expect(await running.ended).toMatchObject({ code: 0 });
});

test('a full disk at the start is an error that says so', async (context) => {
  need(context, 'mount');
  const disk = mountSmallDisk(join(createWorkspace().folder, 'disk'), 'size=64k');
  writeFileSync(join(disk.folder, 'filler'), Buffer.alloc(60 * 1024));
  const database = join(disk.folder, 'portaria.db');

  const { code, err } = await portaria(['serve'], { PORTARIA_DATABASE: database });

  printFigures('disk full at the start', { exit: String(code) });
  expect(code).toBe(1);
  expect(err).toContain(database);
  expect(err).toMatch(/disk is full: make room/);
});
