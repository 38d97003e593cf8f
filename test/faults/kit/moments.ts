import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../../support/eventually.ts';
import { startServe } from '../../support/running-portaria.ts';
import { workshop } from '../../support/workshop.ts';
import { writeBookkeeping } from './bookkeeping.ts';
import { fillDatabase } from './filled-store.ts';
import type { Draws } from './seed.ts';
import { createSenders, type Senders } from './senders.ts';
import { stillImage, type StillImage } from './still-image.ts';
import { strace } from './system-calls.ts';
import { charges } from './webhooks.ts';
import { readLog, type WriteAheadLog } from './write-ahead-log.ts';
import type { RunningPortaria } from '../../support/running-portaria.ts';

const SENDERS = 6;

/** What lay on the disk at a moment, and what had been acknowledged by then. */
export interface Moment extends StillImage {
  readonly wal: WriteAheadLog;
  /** Ids of events. */
  readonly acknowledged: readonly string[];
}

async function momentOf(running: RunningPortaria, database: string, senders: Senders): Promise<Moment> {
  let acknowledged: readonly string[] = [];
  const image = await stillImage(running, database, () => {
    acknowledged = [...senders.acknowledged.values()];
  });
  return { ...image, wal: readLog(image.log), acknowledged };
}

/** Arbitrary moments of one process under load, until it has written so many frames. */
export async function momentsUnderLoad({ between }: Draws, most: number): Promise<readonly Moment[]> {
  const place = workshop();
  writeBookkeeping(place);
  const env = { PORTARIA_DATABASE: place.database, PORTARIA_HANDLERS: place.handlers };
  const running = await startServe(env).ready();
  const senders = createSenders(Array.from({ length: SENDERS }, (_, sender) => charges(sender)));
  const sending = senders.sendTo(running.url);
  const moments: Moment[] = [];
  for (let frames = 0; frames < most;) {
    await pause(between(1, 40));
    const moment = await momentOf(running, place.database, senders);
    const last = moments.at(-1);
    const { salt, frames: written } = moment.wal;
    frames += written.length - (salt === last?.wal.salt ? last.wal.frames.length : 0);
    moments.push(moment);
  }
  running.kill('SIGKILL');
  await sending;
  return moments;
}

/** The moment at which the first checkpoint has written so many pages into the database. */
export async function momentInACheckpoint(pages: number): Promise<Moment> {
  const place = workshop();
  writeBookkeeping(place);
  await fillDatabase(place.database, []);
  const trace = join(place.folder, 'trace');
  const stop = `inject=pwrite64:signal=STOP:when=${String(pages)}`;
  const env = { PORTARIA_DATABASE: place.database, PORTARIA_HANDLERS: place.handlers };
  const tracing = strace(trace, '-P', place.database, '-e', 'trace=pwrite64', '-e', stop);
  const running = await startServe(env, tracing).ready();
  const senders = createSenders(Array.from({ length: SENDERS }, (_, sender) => charges(sender)));
  const sending = senders.sendTo(running.url);
  await eventually(
    'it stands still in a checkpoint',
    () => existsSync(trace) && readFileSync(trace, 'utf8').includes('stopped by SIGSTOP'),
  );
  const moment = await momentOf(running, place.database, senders);
  running.kill('SIGKILL');
  await sending;
  return moment;
}
