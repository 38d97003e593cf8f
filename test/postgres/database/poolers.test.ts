/** A pooler in transaction mode between a process and the server, told by the number of the connection that it gives. */
import { Buffer } from 'node:buffer';
import { expect, onTestFinished, test } from 'vitest';
import { openPostgresStore } from '../../../src/store/postgres/open-postgres-store.ts';
import { manualClock } from '../../../src/testing/manual-clock.ts';
import { route, sampleEvent } from '../../conformance/sample-event.ts';
import { startTcpProxy } from '../../support/tcp-proxy.ts';
import { connected, emptyDatabase } from '../kit/empty-database.ts';
import { HANDLER } from '../kit/two-owners.ts';

/** PostgreSQL's message with the number of the connection's process: its type, its length, the number, a secret. */
const KEY_DATA = Buffer.from('K\0\0\0\u000c', 'latin1');

/** Gives each client a number of its own, as poolers do. */
function withOwnNumber(packet: Buffer): Buffer {
  const at = packet.indexOf(KEY_DATA);
  if (at >= 0) packet.writeInt32BE(1, at + KEY_DATA.length);
  return packet;
}

async function open({ direct }: { readonly direct: boolean }) {
  const database = await emptyDatabase();
  const proxy = await startTcpProxy(database);
  proxy.onResponse(withOwnNumber);
  const names: string[] = [];
  proxy.onRequest((packet) => {
    names.push(...(packet.toString('latin1').match(/portaria_[0-9a-f]{32}/gu) ?? []));
    return 'pass';
  });
  const told: string[] = [];
  const store = await openPostgresStore({
    ...{ url: proxy.through(database), role: 'owner', clock: manualClock() },
    ...(direct && { directUrl: database }),
    onWarning: (warning, about) => void (about === 'pooler' && told.push(warning)),
  });
  onTestFinished(() => store.close());
  onTestFinished(store.onForeignChange(() => undefined));
  await store.accept(sampleEvent({}), [route(HANDLER)]);
  const client = await connected(database);
  const listening = async () => {
    const { rowCount } = await client.query(
      "select from pg_stat_activity where datname = current_database() and application_name like 'portaria listen %'",
    );
    return rowCount;
  };
  return { store, told, names, listening };
}

test('without a direct address, the process says so, names no statements and listens to no notifications', async () => {
  const { store, told, names, listening } = await open({ direct: false });

  expect(told).toEqual([expect.stringContaining('set PORTARIA_DATABASE_DIRECT')]);
  expect(await store.checks({ integrity: false })).toContainEqual(
    expect.objectContaining({
      ...{ name: 'pooler', ok: true, warning: true, detail: told[0] },
    }),
  );
  expect(names).toEqual([]);
  expect(await listening()).toBe(0);
});

test('with a direct address, it names no statements and listens at that address', async () => {
  const { store, told, names, listening } = await open({ direct: true });
  expect((await store.checks({ integrity: false })).map(({ name }) => name)).not.toContain('pooler');

  expect(told).toEqual([]);
  expect(names).toEqual([]);
  await expect.poll(listening).toBe(1);
});
