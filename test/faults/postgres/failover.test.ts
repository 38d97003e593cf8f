/**
 * Given a primary with a synchronous standby: the primary is lost under load, the standby takes its place, and
 * receivers find it behind the same address. Nothing acknowledged is lost.
 */
import { expect, onTestFinished, test } from 'vitest';
import { startStandby } from '../../../scripts/postgres/standby.mjs';
import { eventually } from '../../support/eventually.ts';
import { expectBelow } from '../../support/measured.ts';
import { portaria } from '../../support/running-portaria.ts';
import { startTcpProxy } from '../../support/tcp-proxy.ts';
import { need } from '../kit/needs.ts';
import { createDatabase, postgresOfTest, query, startReceivers } from '../kit/programs/receivers.ts';
import { chargeBody } from '../kit/senders/webhooks.ts';

/** Milliseconds until a webhook is rejected whose commit, or that of one before it, waits for a standby. */
const MAX_UNCONFIRMED_MS = 11_000;

test('a failover to a synchronous standby loses nothing that was acknowledged', async (context) => {
  need(context, 'postgres');
  const primary = await postgresOfTest();
  const standby = await startStandby(primary, { settings: ['max_connections=200'] });
  onTestFinished(() => standby.stop());
  await query(primary.url, "alter system set synchronous_standby_names = 'standby'");
  await query(primary.url, 'select pg_reload_conf()');
  const database = await createDatabase(primary);
  const onStandby = await eventually('the standby has the database', async () => {
    const found = await query(standby.url, "select from pg_database where datname = 'portaria'");
    return found.length > 0 && standby.url.replace(/postgres$/u, 'portaria');
  });
  // As a virtual address does, it leads to whichever server is the primary.
  const address = await startTcpProxy(database);
  const settings = { PORTARIA_DATABASE: address.through(database) };
  const receivers = await startReceivers(address.through(database), [settings, settings]);
  await receivers.acknowledgedMore(60);

  const refused = await portaria(['serve'], { PORTARIA_DATABASE: onStandby });
  expect(refused.code).toBe(1);
  expect(refused.err).toContain('this is a standby, which takes no writes: use the address of the primary');
  const { out } = await portaria(['doctor', '--json'], settings);
  expect(out).toMatch(/standby \(sync\)/);

  // Without its standby the primary commits, and acknowledges nothing.
  standby.freeze();
  onTestFinished(() => {
    standby.thaw();
  });
  const frozenAt = performance.now();
  const acknowledged = new Set(receivers.senders.acknowledged.keys());
  const unconfirmed = chargeBody(99, 1);
  const url = receivers.running[0]?.url ?? '';
  const response = await fetch(url, {
    method: 'POST',
    body: unconfirmed,
  });
  const waitedMs = Math.round(performance.now() - frozenAt);
  expect(response.status).toBe(503);
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
  expectBelow(MAX_UNCONFIRMED_MS, waitedMs, 'milliseconds until the response');
  const meanwhile = [...receivers.senders.acknowledged.keys()].filter((body) => !acknowledged.has(body));

  // The primary is lost with what only it has.
  await primary.crash();
  address.cut();
  standby.thaw();
  await query(standby.url, 'select pg_promote()');
  address.switchTo(standby.url);
  await receivers.acknowledgedMore(60);
  const after = await portaria(['doctor', '--json'], settings);
  expect(after.out).toContain('since it was last known: it is on timeline 2 instead of 1');
  // Nothing was lost, so the id stays, and no process has to stop.
  expect((await portaria(['store', 'renew-id', '--keep-id'], settings)).code).toBe(0);
  expect((await portaria(['doctor', '--json'], settings)).out).not.toContain('since it was last known');

  await receivers.finish('failover', {
    'unconfirmed after, ms': waitedMs,
    'acknowledged without a standby': meanwhile.length,
  });
});
