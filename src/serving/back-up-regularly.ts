/** Makes copies of an SQLite database while a process serves, and removes the oldest. */
import { spawn } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { failureReason } from '../kernel/failure-reason.ts';
import { ownModule } from '../kernel/files/package-files.ts';
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
  const { folder, everyMs, keep, database, clock, telemetry, copy = copyApart } = options;
  const stopping = new AbortController();
  let cancel: Cancel = () => undefined;
  let running: Promise<void> = Promise.resolve();

  /** Returns the milliseconds until the next. */
  async function backUp(): Promise<number> {
    const file = backupPath(folder, clock.now());
    const startedAt = clock.monotonic();
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      await copy({ from: database, to: file }, stopping.signal);
      const old = backupsIn(folder).slice(keep);
      for (const each of old) rmSync(each.file);
      const durationMs = clock.monotonic() - startedAt;
      telemetry.emit('backup.made', { file, removed: old.length, durationMs });
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

  const newest = newestBackupAt(folder);
  schedule(newest === null ? 0 : Math.max(0, newest + everyMs - clock.now()));
  return async () => {
    stopping.abort();
    cancel();
    await running;
  };
}

/** Copies in a process of its own: to read and check a whole file takes seconds, in which nothing else would run. */
async function copyApart(task: BackupTask, signal: AbortSignal): Promise<void> {
  const program = fileURLToPath(ownModule('src/store/sqlite/copies/backup-process'));
  const child = spawn(process.execPath, [program], { stdio: ['pipe', 'ignore', 'pipe'] });
  signal.addEventListener('abort', () => child.kill());
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  });
  child.stdin.on('error', () => undefined).end(JSON.stringify(task));
  const [reason, code] = await Promise.all([text(child.stderr), ended]);
  if (code !== 0) throw new Error(reason.trim() || `the process of the backup ended with ${String(code)}`);
}
