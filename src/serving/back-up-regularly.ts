/** Makes copies of an SQLite database while a process serves, and removes the oldest. */
import { mkdirSync, rmSync, statSync } from 'node:fs';
import { failureReason } from '../kernel/failure-reason.ts';
import { runApart } from '../kernel/run-apart.ts';
import type { Cancel, Clock } from '../kernel/time/clock.ts';
import { MINUTE_MS } from '../kernel/time/durations.ts';
import { backupPath, backupsIn, newestBackupAt, type BackupTask } from '../store/backup-folder.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';

/** Milliseconds after a failure until the next try, unless the next copy is due earlier. */
const AGAIN_MS = 10 * MINUTE_MS;

export interface RegularBackups {
  readonly folder: string;
  readonly everyMs: number;
  /** How many copies are kept. */
  readonly keep: number;
  /** The path of the database. */
  readonly database: string;
  readonly store: { readonly storeId: string };
  readonly clock: Clock;
  readonly telemetry: Telemetry;
  /** Makes a checked copy. Rejects with the reason, and leaves no file. */
  readonly copy?: (task: BackupTask, signal: AbortSignal) => Promise<void>;
}

/**
 * Makes a copy whenever the newest one is older than the period, so at a first start at once, and keeps the newest
 * ones. A failed copy is reported and tried again. Old ones are removed only after a new one has been checked.
 *
 * @returns stops it, and ends the copy in progress
 */
export function backUpRegularly(options: RegularBackups): () => Promise<void> {
  const { folder, everyMs, database, clock, telemetry, copy = copyApart } = options;
  const { storeId } = options.store;
  const stopping = new AbortController();
  let cancel: Cancel = () => undefined;
  let running: Promise<void> = Promise.resolve();

  /** Returns the milliseconds until the next. */
  async function backUp(): Promise<number> {
    const file = backupPath(folder, storeId, clock.now());
    const startedAt = clock.monotonic();
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      await copy({ from: database, to: file }, stopping.signal);
      const durationMs = clock.monotonic() - startedAt;
      telemetry.emit('backup.made', { file, removed: removeOld(options, file), durationMs });
      return everyMs;
    } catch (error) {
      if (!stopping.signal.aborted) telemetry.emit('backup.failed', { file, reason: failureReason(error) });
      return Math.min(AGAIN_MS, everyMs);
    }
  }

  function schedule(ms: number): void {
    cancel = clock.after(ms, () => {
      running = backUp().then((waitMs) => {
        if (!stopping.signal.aborted) schedule(waitMs);
      });
    });
  }

  const newest = newestBackupAt(folder, storeId, clock.now());
  schedule(newest === null ? 0 : Math.max(0, newest + everyMs - clock.now()));
  return async () => {
    stopping.abort();
    cancel();
    await running;
  };
}

/**
 * Removes the oldest copies beside the one that was made, which the newest by name is not after a clock was wrong.
 * Returns how many. One that cannot be removed is no reason to make another copy.
 */
function removeOld({ folder, keep, store, database }: RegularBackups, made: string): number {
  // Somebody may serve a copy where it lies.
  const served = statSync(database, { throwIfNoEntry: false })?.ino;
  const others = backupsIn(folder, store.storeId).filter(
    ({ file }) => file !== made && statSync(file).ino !== served,
  );
  return others.slice(keep - 1).filter(({ file }) => {
    try {
      rmSync(file);
      return true;
    } catch {
      return false;
    }
  }).length;
}

/** Copies in a process of its own: to read and check a whole file takes seconds, in which nothing else would run. */
async function copyApart(task: BackupTask, signal: AbortSignal): Promise<void> {
  // The next copy removes what a killed one leaves.
  const { stderr, code } = await runApart('src/store/sqlite/copies/backup-process', task, signal);
  if (code !== 0) throw new Error(stderr.trim() || `the process of the backup ended with ${String(code)}`);
}
