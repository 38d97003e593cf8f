import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { recordedHandler } from '../../../handle/load/recorded-handler.ts';
import { defineHandler } from '../../../handle/define/handler.ts';
import { systemClock } from '../../../kernel/time/clock.ts';
import { openSqliteStore } from '../open-sqlite-store.ts';

const record = recordedHandler(defineHandler({ name: 'mail', on: '*', handle: () => undefined }));

test.each([
  ['{"name":', 'is no JSON'],
  ['{}', 'is no list'],
  ['[null]', 'holds no handlers'],
  ['[{"name":"mail"}]', 'lacks fields'],
  [JSON.stringify([{ ...record, retry: null }]), 'has no retry policy'],
])('a process whose record %s is left out, and the others are found: it %s', async (handlers) => {
  const path = join(temporaryFolder(), 'portaria.db');
  const store = await openSqliteStore({ path, role: 'owner', clock: systemClock });
  onTestFinished(() => store.close());
  const whole = {
    id: 'p1',
    host: 'fleet-1',
    pid: 1,
    version: '1.0.0',
    startedAt: 1,
    handlers: [record],
  };
  await store.registerProcess(whole, []);
  const other = new BetterSqlite3(path);
  other
    .prepare(
      "insert into processes (id, host, pid, version, started_at, handlers) values ('p2', 'fleet-2', 2, '1.0.0', 2, ?)",
    )
    .run(handlers);
  other.close();

  expect(await store.processes()).toEqual([whole]);
});
