/** Given a PostgreSQL whose disk is full: webhooks get 503, nothing acknowledged is lost, and it goes on by itself. */
import { chmodSync, chownSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { expect, test } from 'vitest';
import { unprivilegedUser } from '../../scripts/postgres/programs.mjs';
import { eventually } from '../support/eventually.ts';
import { createWorkspace } from '../support/workspace.ts';
import { need } from './kit/needs.ts';
import { postgresOfTest, startReceivers } from './kit/receivers.ts';
import { mountSmallDisk } from './kit/small-disk.ts';
import { chargeBody } from './kit/webhooks.ts';

/** The number of 503 responses to see before room is made. */
const REJECTED = 40;
/** The bytes that are left before the disk is full. */
const LEFT = 256 * 1024;

function usedBytes(folder: string): number {
  const { blocks, bfree, bsize } = statfsSync(folder);
  return (blocks - bfree) * bsize;
}

test('a full disk of PostgreSQL is answered with 503, and ends when there is room', async (context) => {
  need(context, 'postgres', 'mount');
  const server = await postgresOfTest();
  // Where the tables are. Without its log PostgreSQL itself ends, which is another fault: a crash.
  const { folder } = createWorkspace();
  chmodSync(folder, 0o755);
  const disk = mountSmallDisk(join(folder, 'disk'), 'size=200m');
  const user = unprivilegedUser();
  if (user !== undefined) chownSync(disk.folder, user.uid, user.gid);
  const admin = new pg.Client({ connectionString: server.url });
  await admin.connect();
  await admin.query(`create tablespace small location '${disk.folder}'`);
  await admin.query('create database portaria tablespace small');
  await admin.end();
  const receivers = await startReceivers(server.url.replace(/postgres$/u, 'portaria'), [{}, {}]);
  await receivers.acknowledgedMore(200);
  const rejected = (): number => receivers.senders.rejections.get(503) ?? 0;
  const [first] = receivers.running;
  const health = async () => (await fetch(new URL('/healthz', first?.url))).status;

  disk.remount(`size=${String(usedBytes(disk.folder) + LEFT)}`);
  await eventually('the disk is full', () => rejected() >= REJECTED, 60_000);
  const response = await fetch(first?.url ?? '', { method: 'POST', body: chargeBody(99, 1) });
  expect(response.status).toBe(503);
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
  await eventually('it is not healthy', async () => (await health()) === 503);
  expect(first?.written()).toMatch(/disk is full: make room/);
  const whenFull = receivers.senders.acknowledged.size;

  disk.remount('size=400m');
  await receivers.acknowledgedMore(100);
  await eventually('it is healthy', async () => (await health()) === 200);

  await receivers.finish('full disk of PostgreSQL', { 'acknowledged until full': whenFull });
});
