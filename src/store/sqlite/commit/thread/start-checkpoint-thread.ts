import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads';
import { ownModule } from '../../../../kernel/files/package-files.ts';
import { Turn, type CheckpointReply, type CheckpointRequest, type CheckpointThreadData } from './messages.ts';

/** A thread that moves the log into the file, as seen by the one that commits. */
export interface CheckpointThread {
  /** Has it move the log. It answers by `answered`, unless it is stopped. */
  move(): void;
  /**
   * Takes back what it was asked for and has not begun; waits for the end of
   * what it has begun, as long as this takes no longer than so many milliseconds.
   *
   * @returns its answer, which `answered` is not told then; undefined when it is still at work
   */
  stop(most: number): CheckpointReply | undefined;
  /** Ends it when it has done what it was asked for. */
  close(): Promise<void>;
}

export interface CheckpointThreadEvents {
  /** It has started, or has done what it was asked for. */
  readonly answered: (reply: CheckpointReply) => void;
  /** It is gone. */
  readonly lost: (error: Error) => void;
}

export type StartCheckpointThread = (file: string, events: CheckpointThreadEvents) => CheckpointThread;

const NOTHING_FAILED: CheckpointReply = { failure: null };

/**
 * Starts the thread. Whose turn it is stands in memory that both see, because
 * the one that commits may need to know it in the middle of its work, where no
 * message reaches it.
 *
 * @throws when it cannot run, for want of memory say
 */
export const startCheckpointThread: StartCheckpointThread = (file, { answered, lost }) => {
  const turn = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const { port1: port, port2: theirs } = new MessageChannel();
  const thread = new Worker(ownModule('src/store/sqlite/commit/thread/checkpoint-thread'), {
    workerData: { file, turn, port: theirs } satisfies CheckpointThreadData,
    transferList: [theirs],
  });
  thread.on('error', lost);
  port.on('message', answered);
  port.unref();
  thread.unref();

  function post(request: CheckpointRequest): void {
    port.postMessage(request);
  }

  return {
    move() {
      Atomics.store(turn, 0, Turn.asked);
      post('move');
    },
    stop(most) {
      if (Atomics.compareExchange(turn, 0, Turn.asked, Turn.nothing) === Turn.asked) return NOTHING_FAILED;
      if (Atomics.wait(turn, 0, Turn.working, most) === 'timed-out') return undefined;
      return (receiveMessageOnPort(port)?.message as CheckpointReply | undefined) ?? NOTHING_FAILED;
    },
    async close() {
      thread.ref();
      const ended = new Promise((resolve) => thread.once('exit', resolve));
      post('close');
      await ended;
      port.close();
    },
  };
};
