import type { Database } from 'better-sqlite3';
import { createCheckpoint, PAGES_PER_CHECKPOINT, writeAheadLog, type Checkpoint } from '../checkpoint.ts';
import { isFull } from '../../file/store-error.ts';
import { sqliteError, type CheckpointReply } from './messages.ts';
import {
  startCheckpointThread,
  type CheckpointThread,
  type StartCheckpointThread,
} from './start-checkpoint-thread.ts';

/**
 * Pages (4 KiB each) that may wait in the log before the other thread moves
 * them: a third of a millisecond of work. With few processors it is done where
 * the writing thread is to go on, and a system leaves whoever runs there for
 * milliseconds if it does not end by itself.
 */
const PAGES_BEFORE_ASKING = 200;

/** Pages of a log whose rest the writing thread moves, so that it is begun anew: seldom, for that takes a sync. */
const PAGES_BEFORE_BEGINNING_ANEW = 1_000;

/** Pages of a log that the writing thread moves whatever waits, because the other does not catch up with it. */
const MAX_LOG = 8_000;

/**
 * Pages of a log that the writing thread does not wait with any longer, though
 * the other has not answered: on a busy machine it may get no time. As much as
 * the log's file is cut back to.
 */
export const MAX_UNANSWERED = 16_000;

/** Milliseconds that a commit then waits for a pass that has begun, and that nobody else can do meanwhile. */
const MAX_WAIT = 1_000;

/**
 * The thread starts when the process has started: it would take half a core
 * from that. Not when first needed: by then another version of the library may
 * lie where it is loaded from, and two of them in a process drop each other's
 * locks.
 */
const START_AFTER_MS = 1_000;

export interface ThreadCheckpointOptions {
  /** Called when the other thread has answered, for `runIfDue` to be called. */
  readonly onAnswer: () => void;
  /** Milliseconds. */
  readonly startAfter?: number;
  readonly startThread?: StartCheckpointThread;
  /** Bytes that the file's disk has left. */
  readonly free?: (file: string) => number;
}

/** Throws what moving the log has failed with, in whichever thread. */
export interface ThreadCheckpoint extends Checkpoint {
  /** Ends the other thread when it has done what it was asked for. */
  close(): Promise<void>;
}

/**
 * Moves the log in another thread than commits are made in.
 *
 * What has gathered the other thread moves while commits go on. The little that
 * they added to a log that is long enough this one moves between two of them,
 * because only a log that is moved as a whole is begun anew. Nothing is moved
 * before the pass before it is known to have gone well, so that no failed sync
 * is followed by another.
 *
 * As long as there is no other thread, all is moved here; so is a log that has
 * become too long while the other was to move it, and where room is spared.
 */
export function createThreadCheckpoint(
  database: Database,
  {
    onAnswer,
    startAfter = START_AFTER_MS,
    startThread = startCheckpointThread,
    ...options
  }: ThreadCheckpointOptions,
): ThreadCheckpoint {
  const log = writeAheadLog(database);
  const here = createCheckpoint(database, options);
  let thread: CheckpointThread | undefined;
  /** Whether the other thread can be asked: it has started, and has answered. */
  let free = false;
  /** How much of the log was moved when the other thread was last asked, until it is seen what that brought. */
  let movedBefore: number | undefined;
  let failure: Error | undefined;
  const timer = setTimeout(start, startAfter);
  timer.unref();

  function start(): void {
    try {
      thread = startThread(database.name, { answered, lost });
    } catch {
      // One that cannot run, for want of memory say, is done without; so it is below.
    }
  }

  function answered(reply: CheckpointReply): void {
    take(reply);
    onAnswer();
  }

  function take(reply: CheckpointReply): void {
    free = true;
    if (reply.failure !== null) failure = sqliteError(reply.failure);
  }

  function lost({ message }: Error): void {
    // What it was at work on may have failed, unseen.
    if (movedBefore !== undefined) failure = sqliteError({ code: 'SQLITE_IOERR', message });
    thread = undefined;
    free = false;
    onAnswer();
  }

  function ask(moved: number): void {
    free = false;
    movedBefore = moved;
    thread?.move();
  }

  function takeFailure(): Error | undefined {
    const told = failure;
    if (told !== undefined) failure = movedBefore = undefined;
    return told;
  }

  /** Sees to it that nobody else moves the log. Returns false when the other thread is still at it. */
  function alone(): boolean {
    if (!free && movedBefore !== undefined) {
      const reply = thread?.stop(MAX_WAIT);
      if (reply === undefined) return false;
      take(reply);
    }
    const told = takeFailure();
    // For want of room it has moved nothing, and may be followed by others.
    if (told !== undefined && !isFull(told)) throw told;
    movedBefore = undefined;
    return true;
  }

  function makeRoom(): boolean {
    return alone() && here.makeRoom();
  }

  return {
    runIfDue() {
      const told = takeFailure();
      if (told !== undefined && !(isFull(told) && makeRoom())) throw told;
      if (!free) {
        // At work, or not there yet, or not any more.
        if (movedBefore === undefined) here.runIfDue();
        else if (log.state().pages >= MAX_UNANSWERED && alone()) log.copy();
        return;
      }
      if (movedBefore === undefined && here.spaceIsLow()) {
        here.runIfDue();
        return;
      }
      const { pages, copied: moved } = log.state();
      const waiting = pages - moved;
      if (movedBefore === undefined) {
        if (waiting < PAGES_BEFORE_ASKING) return;
        here.checkSpace();
        if (here.spaceIsLow()) here.runIfDue();
        else ask(moved);
        return;
      }
      const progressed = moved > movedBefore;
      if (waiting >= PAGES_PER_CHECKPOINT && progressed && pages < MAX_LOG) {
        ask(moved);
        return;
      }
      movedBefore = undefined;
      if (progressed && waiting > 0 && pages >= PAGES_BEFORE_BEGINNING_ANEW) log.copy();
    },
    makeRoom,
    async close() {
      clearTimeout(timer);
      await thread?.close();
    },
  };
}
