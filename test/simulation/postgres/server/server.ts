/** Asks the thread that talks to PostgreSQL, and waits for its answer without a turn of the event loop. */
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads';
import type { Answer, Request } from './messages.ts';

/** A thread that does not answer within so many milliseconds has failed. */
const MAX_MS = 60_000;

export interface Server {
  ask(request: Request): Answer;
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- whoever reads says what a row is
  rows<Row>(text: string, ...values: readonly unknown[]): readonly Row[];
  close(): Promise<void>;
}

/** @param url of the database */
export function connectServer(url: string): Server {
  const { port1: port, port2: theirs } = new MessageChannel();
  const flag = new Int32Array(new SharedArrayBuffer(4));
  const thread = new Worker(new URL('server-thread.ts', import.meta.url), {
    workerData: { url, port: theirs, flag },
    transferList: [theirs],
    execArgv: [],
  });
  let failure: unknown;
  thread.on('error', (error) => {
    failure = error;
  });
  thread.unref();
  port.unref();

  function ask(request: Request): Answer {
    Atomics.store(flag, 0, 0);
    port.postMessage(request);
    if (Atomics.wait(flag, 0, 0, MAX_MS) === 'timed-out')
      throw new Error(`PostgreSQL does not answer: ${JSON.stringify(request)} ${String(failure)}`);
    const answer = receiveMessageOnPort(port)?.message as Answer;
    if (answer.error !== null) throw new Error(answer.error);
    return answer;
  }

  return {
    ask,
    // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- whoever reads says what a row is
    rows: <Row>(text: string, ...values: readonly unknown[]) =>
      ask({ do: 'ask', text, values }).rows as unknown as readonly Row[],
    async close() {
      port.close();
      await thread.terminate();
    },
  };
}
