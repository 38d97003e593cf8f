import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../../support/eventually.ts';
import { startServe, type RunningPortaria } from '../../support/running-portaria.ts';
import { createWorkspace } from '../../support/workspace.ts';
import { writeBookkeeping } from './bookkeeping.ts';
import { fillDatabase } from './filled-store.ts';
import type { Draws } from './seed.ts';
import { createSenders, type Senders } from './senders/senders.ts';
import { snapshotDisk, type DiskSnapshot } from './disk/disk-snapshot.ts';
import { strace } from './disk/system-calls.ts';
import { charges } from './senders/webhooks.ts';
import { readLog, type WriteAheadLog } from './disk/write-ahead-log.ts';

const SENDERS = 6;

/** The files of a store at one moment, and the events acknowledged by then. */
export interface Moment extends DiskSnapshot {
  readonly wal: WriteAheadLog;
  /** Ids of acknowledged events. */
  readonly acknowledged: readonly string[];
}

async function momentOf(running: RunningPortaria, database: string, senders: Senders): Promise<Moment> {
  let acknowledged: readonly string[] = [];
  const image = await snapshotDisk(running, database, () => {
    acknowledged = [...senders.acknowledged.values()];
  });
  return { ...image, wal: readLog(image.log), acknowledged };
}

/** Captures random moments of a process under load until it has written `maxFrames` frames. */
export async function momentsUnderLoad({ between }: Draws, maxFrames: number): Promise<readonly Moment[]> {
  const workspace = createWorkspace();
  writeBookkeeping(workspace);
  const env = workspace.settings;
  const running = await startServe(env).ready();
  const senders = createSenders(Array.from({ length: SENDERS }, (_, sender) => charges(sender)));
  const sending = senders.sendTo(running.url);
  const moments: Moment[] = [];
  for (let frames = 0; frames < maxFrames;) {
    await pause(between(1, 40));
    const moment = await momentOf(running, workspace.database, senders);
    const last = moments.at(-1);
    const { salt, frames: written } = moment.wal;
    frames += written.length - (salt === last?.wal.salt ? last.wal.frames.length : 0);
    moments.push(moment);
  }
  running.kill('SIGKILL');
  await sending;
  return moments;
}

/** Captures the moment at which the first checkpoint has written `pages` pages into the database. */
export async function momentInACheckpoint(pages: number): Promise<Moment> {
  const workspace = createWorkspace();
  writeBookkeeping(workspace);
  await fillDatabase(workspace.database, []);
  const trace = join(workspace.folder, 'trace');
  const stop = `inject=pwrite64:signal=STOP:when=${String(pages)}`;
  const env = workspace.settings;
  const tracing = strace(trace, '-P', workspace.database, '-e', 'trace=pwrite64', '-e', stop);
  const running = await startServe(env, tracing).ready();
  const senders = createSenders(Array.from({ length: SENDERS }, (_, sender) => charges(sender)));
  const sending = senders.sendTo(running.url);
  await eventually(
    'the process is stopped in a checkpoint',
    () => existsSync(trace) && readFileSync(trace, 'utf8').includes('stopped by SIGSTOP'),
  );
  const moment = await momentOf(running, workspace.database, senders);
  running.kill('SIGKILL');
  await sending;
  return moment;
}
