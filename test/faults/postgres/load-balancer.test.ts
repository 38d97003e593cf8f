/**
 * Given three receivers under load behind HAProxy with the shipped file: one is killed after it has stored webhooks that
 * it has not answered. Senders see nothing of it, and it takes its part again after its next start.
 */
import { expect, test } from 'vitest';
import { freePorts } from '../../../bench/servers/free-port.mjs';
import { eventually } from '../../support/eventually.ts';
import { expectBelow } from '../../support/measured.ts';
import { startTcpProxy } from '../../support/tcp-proxy.ts';
import { findHaproxy, startHaproxy } from '../kit/programs/haproxy.ts';
import { need } from '../kit/needs.ts';
import { createDatabase, postgresOfTest, query, startReceivers } from '../kit/programs/receivers.ts';
import { statisticsOf } from '../kit/statistics.ts';

test('senders behind HAProxy do not notice that a receiver is killed', async (context) => {
  need(context, 'postgres', 'haproxy');
  const database = await createDatabase(await postgresOfTest());
  const [own = 0, ...ports] = await freePorts(4);
  // The responses of PostgreSQL to the first receiver can be lost.
  const network = await startTcpProxy(database);
  const settings = ports.map((port) => ({ PORTARIA_PORT: String(port) }));
  const [direct = {}, ...others] = settings;
  let printed = () => '';
  const receivers = await startReceivers(
    database,
    [{ ...direct, PORTARIA_DATABASE: network.through(database) }, ...others],
    {
      async through() {
        const balancer = await startHaproxy(own, ports);
        ({ printed } = balancer);
        return balancer.url;
      },
    },
  );
  const { senders } = receivers;
  const [killed, other] = receivers.running;
  if (killed === undefined || other === undefined) throw new Error('no receivers');
  await receivers.acknowledgedMore(60);

  network.onRequest((packet) => (packet.includes('commit\0') ? 'lose' : 'pass'));
  const [lostFrom] = await query(database, 'select clock_timestamp()::text as at');
  await eventually('a webhook is stored and not answered', async () => {
    const committed = await query(
      database,
      `select from pg_stat_activity where application_name like 'portaria accept %:${String(receivers.at(0).pid)}'
        and state = 'idle' and query ilike 'commit%' and query_start > '${String(lostFrom?.['at'])}'`,
    );
    return committed.length > 0;
  });
  await receivers.end(0, 'SIGKILL');
  await eventually('it leaves the rotation', () => printed().includes('Server receivers/one is DOWN'));
  await receivers.acknowledgedMore(40);
  const { repeats } = await statisticsOf(receivers.at(1));
  expect(repeats).toBeGreaterThan(0);

  await receivers.start(0, direct);
  await eventually('it enters the rotation', () => printed().includes('Server receivers/one is UP'));
  const before = acknowledgements(printed(), 'one');
  await eventually('it acknowledges webhooks', () => acknowledgements(printed(), 'one') > before + 5);

  await receivers.finish('behind HAProxy', { version: findHaproxy()?.version ?? '', repeats });
  expect(rejections(printed(), 'one').filter(isOfTheBalancer)).toEqual([]);
  expectBelow(1, rejections(printed(), '\\S+').length + senders.rejections.size, 'kinds of rejections');
});

/** The lines of requests that a receiver had last and that were not acknowledged. */
function rejections(printed: string, receiver: string): readonly string[] {
  return printed.match(new RegExp(`^.* receivers/${receiver} \\S+ (?!20[02] )-?\\d+ .*$`, 'gmu')) ?? [];
}

/** Whether the receiver was gone. A receiver that waited too long for a busy machine rejects by itself. */
function isOfTheBalancer(line: string): boolean {
  return / S[CHD]\S\S \d+\//u.test(line);
}

/** The number of webhooks that a receiver has acknowledged, by the balancer's log. */
function acknowledgements(printed: string, receiver: string): number {
  return printed.match(new RegExp(` receivers/${receiver} \\S+ 20[02] `, 'gu'))?.length ?? 0;
}
