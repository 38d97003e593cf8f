/** The writing thread of the build, when it ends, and when it is closed. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '../../src/kernel/time/clock.ts';
import type * as FromSource from '../../src/store/sqlite/commit/thread/writer-client.ts';
import type * as StoreFromSource from '../../src/store/sqlite/open-sqlite-store.ts';
import { replayJob } from '../support/replay-job.ts';

const built = (path: string) => new URL(`../../dist/src/store/sqlite/${path}.js`, import.meta.url).href;
const { createWriterClient } = (await import(built('commit/thread/writer-client'))) as typeof FromSource;
const { openSqliteStore } = (await import(built('open-sqlite-store'))) as typeof StoreFromSource;

/** Starts a writer on a file with this content, or on a new store. */
async function startWriter(content?: string) {
  const folder = mkdtempSync(join(tmpdir(), 'portaria-thread-'));
  const file = join(folder, 'portaria.db');
  if (content === undefined)
    await (await openSqliteStore({ path: file, role: 'guest', clock: systemClock })).close();
  else writeFileSync(file, content);
  const onFatal = vi.fn();
  const writer = createWriterClient({
    file,
    storeId: 'abcdef',
    watched: [],
    maxQuarantineBytes: 1_000_000,
    clock: systemClock,
    onFatal,
  });
  onTestFinished(async () => {
    await writer.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { writer, onFatal };
}

test('when the thread exits, pending calls are rejected, and onFatal is called once', async () => {
  const { writer, onFatal } = await startWriter(
    'this is not a database, and long enough to be read'.repeat(99),
  );

  const [first, second] = await Promise.allSettled([writer.operations.probe(), writer.operations.recover()]);

  const rejection = { status: 'rejected', reason: { code: 'store-failed' } };
  expect([first, second]).toMatchObject([rejection, rejection]);
  await expect(writer.operations.probe()).rejects.toMatchObject({ code: 'store-failed' });
  expect(writer.healthy()).toBe(false);
  expect(onFatal).toHaveBeenCalledOnce();
  await writer.close();
});

test('rejects a value that cannot be cloned, and writes the calls before and after it', async () => {
  const { writer, onFatal } = await startWriter();
  const before = writer.operations.createJob(replayJob(), 1);
  await before;

  const broken = writer.operations.createJob(replayJob({ handlers: [(() => 'h') as never] }), 2);
  await expect(broken).rejects.toMatchObject({ code: 'store-failed' });

  expect((await writer.operations.createJob(replayJob(), 3)).id).toBe('j2');
  expect(writer.healthy()).toBe(true);
  expect(onFatal).not.toHaveBeenCalled();
});

test('close commits pending writes and rejects later ones', async () => {
  const { writer } = await startWriter();
  const waiting = writer.operations.createJob(replayJob(), 1);

  const closed = writer.close();

  await expect(writer.operations.probe()).rejects.toMatchObject({ code: 'stopping' });
  await expect(waiting).resolves.toMatchObject({ id: 'j1' });
  await closed;
});
