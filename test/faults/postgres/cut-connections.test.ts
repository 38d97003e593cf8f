/**
 * Given two receivers, each with a network of its own to PostgreSQL: connections are cut inside transactions and at
 * their commit, answer late, or never again. Nothing acknowledged is lost, and each receiver goes on by itself.
 */
import { expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { expectBelow } from '../../support/measured.ts';
import { need } from '../kit/needs.ts';
import { createDatabase, postgresOfTest, startReceivers } from '../kit/programs/receivers.ts';
import { startTcpProxy, type Fate } from '../../support/tcp-proxy.ts';
import { chargeBody } from '../kit/senders/webhooks.ts';

/** Longer than a delay that a process survives with its lease: see lease.ts of the store. */
const DELAY_MS = 300;
/** Milliseconds that a sender waits for a response, and some of a busy machine: see wait-limit.ts of the store. */
const MAX_WAIT_MS = 10_500;
/** Milliseconds until a receiver gives up a connection that never answers: see pools.ts of the store. */
const MAX_SILENCE_MS = 30_000;

/** A name that a packet gives to a statement, and the text of the statement. */
const NAMING = /(portaria_[0-9a-f]{32})\0([^\0]+)\0/gu;

/** Texts of named statements, by name: only the first packet of a connection has the text, too. */
const texts = new Map<string, string>();

/** Returns what a packet of the client says, with the texts of the named statements that it runs. */
function said(packet: Buffer): string {
  const content = packet.toString('latin1');
  for (const [, name = '', text = ''] of content.matchAll(NAMING)) texts.set(name, text);
  const run = [...content.matchAll(/portaria_[0-9a-f]{32}/gu)].map(([name]) => texts.get(name) ?? '');
  return [content, ...run].join('\n');
}

/** Returns the fate for every n-th packet that matches, and lets the others pass. */
function every(
  count: number,
  pattern: RegExp,
  fate: Fate,
): { watch(packet: Buffer): Fate; readonly cuts: number } {
  let seen = 0;
  let cuts = 0;
  return {
    watch(packet) {
      if (!pattern.test(said(packet))) return 'pass';
      seen += 1;
      if (seen % count !== 0) return 'pass';
      cuts += 1;
      return fate;
    },
    get cuts() {
      return cuts;
    },
  };
}

test('connections that are cut, late or silent lose nothing, and receivers go on', async (context) => {
  need(context, 'postgres');
  const server = await postgresOfTest();
  const database = await createDatabase(server);
  const networks = [await startTcpProxy(database), await startTcpProxy(database)];
  const [first, second] = networks;
  if (first === undefined || second === undefined) throw new Error('no networks');
  const learn = (packet: Buffer): Fate => {
    said(packet);
    return 'pass';
  };
  for (const network of networks) network.onRequest(learn);
  const receivers = await startReceivers(
    database,
    networks.map((network) => ({ PORTARIA_DATABASE: network.through(database) })),
  );
  await receivers.acknowledgedMore(60);

  const figures: Record<string, number> = {};
  for (const [what, pattern, fate] of [
    ['cut in transactions', /insert into events/u, 'cut'],
    ['cut at commit', /commit\0/u, 'cut'],
    ['cut after commit', /commit\0/u, 'cut after'],
    ['cut at outcomes', /update deliveries/u, 'cut after'],
  ] as const) {
    const faults = every(5, pattern, fate);
    for (const network of networks) network.onRequest((packet) => faults.watch(packet));
    await eventually(what, () => faults.cuts >= 4);
    for (const network of networks) network.onRequest(learn);
    await receivers.acknowledgedMore(20);
    figures[what] = faults.cuts;
  }
  figures['cut at once'] = first.cut() + second.cut();
  await receivers.acknowledgedMore(40);

  first.delay(DELAY_MS);
  await receivers.acknowledgedMore(40);
  first.delay(0);

  // What the first receiver has open never answers again; what it opens then works.
  const silentAt = performance.now();
  first.silence();
  const response = await fetch(receivers.running[0]?.url ?? '', {
    method: 'POST',
    body: chargeBody(99, 1),
  });
  const silentMs = Math.round(performance.now() - silentAt);
  expectBelow(MAX_WAIT_MS, silentMs, 'milliseconds until the response');
  if (response.status === 503) expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
  await receivers.acknowledgedMore(50);
  await eventually('the first receiver acknowledges again', async () => {
    const { status } = await fetch(receivers.running[0]?.url ?? '', {
      method: 'POST',
      body: chargeBody(99, 1),
    });
    return [200, 202].includes(status);
  });
  const againMs = Math.round(performance.now() - silentAt);
  expectBelow(MAX_SILENCE_MS, againMs, 'milliseconds until it acknowledges again');
  await receivers.acknowledgedMore(40);

  await receivers.finish('cut connections', {
    ...figures,
    'silent until the response, ms': silentMs,
    'silent for the sender, ms': againMs,
  });
});
