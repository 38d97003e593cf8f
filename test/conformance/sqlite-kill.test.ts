/** What a process leaves in an SQLite file when it is killed while it accepts. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/kernel/time/clock.ts';
import { openSqliteStore } from '../../src/store/sqlite/open-sqlite-store.ts';
import { isOwned } from '../../src/store/sqlite/file/owner-lock.ts';

const inRepository = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

test('kill -9 loses no acknowledged event, and leaves no lock behind', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'portaria-kill-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const path = join(folder, 'portaria.db');
  const child = spawn(process.execPath, [inRepository('test/conformance/accept-until-killed.ts'), path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  for await (const chunk of child.stdout.setEncoding('utf8') as AsyncIterable<string>) {
    printed += chunk;
    if (printed.split('\n').length > 500 && !child.killed) {
      expect(isOwned(path)).toBe(true);
      child.kill('SIGKILL');
    }
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  expect(child.signalCode).toBe('SIGKILL');

  expect(isOwned(path)).toBe(false);
  const store = await openSqliteStore({ path, role: 'owner', clock: systemClock });
  onTestFinished(() => store.close());
  const acknowledged = printed.split('\n').slice(0, -1);
  const stored = await store.events({}, { order: 'oldest', limit: 100_000 });
  const ids = new Set(stored.map(({ id }) => id));
  expect(acknowledged.filter((id) => !ids.has(id))).toEqual([]);

  const left = await store.recover();
  const { deliveries } = await store.claim({ now: systemClock.now(), limit: 100_000, handlers: ['anyone'] });
  expect(left).toBeGreaterThan(0);
  expect(deliveries).toHaveLength(ids.size);
  expect((await store.checks()).filter(({ ok }) => !ok)).toEqual([]);
});
