/**
 * Given a PostgreSQL whose disk is full, that of its tables alone, or of its log, too: webhooks get 503, nothing
 * acknowledged is lost, and receivers go on by themselves once it has room.
 */
import { spawn } from 'node:child_process';
import { chmodSync, chownSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { expect, test } from 'vitest';
import { unprivilegedUser } from '../../../scripts/postgres/programs.mjs';
import { eventually } from '../../support/eventually.ts';
import type { RunningPortaria } from '../../support/running-portaria.ts';
import { createWorkspace } from '../../support/workspace.ts';
import { need } from '../kit/needs.ts';
import { createDatabase, postgresOfTest, query, startReceivers } from '../kit/programs/receivers.ts';
import { mountSmallDisk, usedBytes } from '../kit/disk/small-disk.ts';
import { chargeBody } from '../kit/senders/webhooks.ts';

/** The number of 503 responses to see before room is made. */
const REJECTED = 20;
/** The bytes that are left before the disk is full. */
const LEFT = 256 * 1024;

/** Checks what a sender and a load balancer are told while nothing can be stored. */
async function expectRejection({ url }: RunningPortaria): Promise<void> {
  // A small row may still find room in a page.
  const response = await eventually('a webhook is rejected', async () => {
    const answer = await fetch(url, { method: 'POST', body: chargeBody(99, 1) });
    return answer.status === 503 && answer;
  });
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
  await eventually('it is not healthy', async () => (await health(url)) === 503);
}

async function health(url: string): Promise<number> {
  return (await fetch(new URL('/healthz', url))).status;
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
  await receivers.acknowledgedMore(60);
  const rejected = (): number => receivers.senders.rejections.get(503) ?? 0;
  const first = receivers.at(0);

  disk.remount(`size=${String(usedBytes(disk.folder) + LEFT)}`);
  await eventually('the disk is full', () => rejected() >= REJECTED);
  await expectRejection(first);
  expect(first.written()).toMatch(/disk is full: make room/);
  const whenFull = receivers.senders.acknowledged.size;

  disk.remount('size=400m');
  await receivers.acknowledgedMore(40);
  await eventually('it is healthy', async () => (await health(first.url)) === 200);

  await receivers.finish('full disk of PostgreSQL', { 'acknowledged until full': whenFull });
});

test('a PostgreSQL that ends because its log has no room is started again with room', async (context) => {
  need(context, 'postgres', 'mount');
  const { folder } = createWorkspace();
  chmodSync(folder, 0o755);
  // Data and log, as with most servers.
  const disk = mountSmallDisk(join(folder, 'disk'), 'size=300m');
  let said = '';
  const server = await postgresOfTest({
    folder: disk.folder,
    start(command, args, options) {
      const child = spawn(command, args, options);
      child.stderr?.on('data', (text: Buffer) => (said += text.toString()));
      return child;
    },
  });
  const database = await createDatabase(server);
  const receivers = await startReceivers(database, [{}, {}]);
  const rejected = (): number => receivers.senders.rejections.get(503) ?? 0;
  await receivers.acknowledgedMore(60);

  disk.remount(`size=${String(usedBytes(disk.folder) + LEFT)}`);
  await eventually('webhooks are rejected', async () => {
    // Another program writes to the log, too.
    await query(server.url, `select pg_logical_emit_message(false, 'other', repeat('x', 1000000))`).catch(
      () => undefined,
    );
    return rejected() >= REJECTED;
  });
  await eventually('PostgreSQL ends', () => server.hasEnded());
  expect(said).toMatch(/PANIC: .*No space left on device/u);
  await expectRejection(receivers.at(0));
  const whenFull = receivers.senders.acknowledged.size;

  disk.remount('size=600m');
  await server.restart();
  await receivers.acknowledgedMore(40);
  await eventually('it is healthy', async () => (await health(receivers.at(0).url)) === 200);

  await receivers.finish('full disk of PostgreSQL and its log', { 'acknowledged until full': whenFull });
});
