import { EventEmitter } from 'node:events';
import { MessageChannel, Worker, type MessagePort } from 'node:worker_threads';

/** Serves each port that it receives with the thread module of the build. */
const HOST = `
const { workerData } = require('node:worker_threads');
workerData.control.on('message', async (port) => {
  const { serveWriter, serveReader } = await import(workerData.module);
  (serveWriter ?? serveReader)(port);
});`;

/** Starts a thread that plays any number of workers, one for each store, all running the same module. */
export function shareThread(module: string): () => Worker {
  const { port1: control, port2 } = new MessageChannel();
  const host = new Worker(HOST, {
    eval: true,
    workerData: { control: port2, module },
    transferList: [port2],
  });
  host.unref();
  control.unref();
  return () => {
    const { port1, port2: served } = new MessageChannel();
    control.postMessage(served, [served]);
    return new PortWorker(port1) as unknown as Worker;
  };
}

/** A port in the form of a worker: it exits when the other side closes the port. */
class PortWorker extends EventEmitter {
  readonly #port: MessagePort;

  constructor(port: MessagePort) {
    super();
    this.#port = port;
    port.on('message', (message) => this.emit('message', message));
    port.on('close', () => this.emit('exit', 0));
    port.unref();
  }

  postMessage(message: unknown, transfer: readonly ArrayBuffer[]): void {
    this.#port.postMessage(message, transfer);
  }

  ref(): void {
    this.#port.ref();
  }

  unref(): void {
    this.#port.unref();
  }
}
