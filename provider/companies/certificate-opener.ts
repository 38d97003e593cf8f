import { Worker } from 'node:worker_threads';
import { ownModule } from '../../src/kernel/files/package-files.ts';
import type { OpeningAnswer, OpeningRequest } from './certificate-thread.ts';
import type { CertificateProblem, OpenedCertificate } from './open-certificate.ts';

/** Opens certificates where nobody else waits for it. */
export interface CertificateOpener {
  /** @param file base64. */
  open(file: string, password: string): Promise<OpenedCertificate | CertificateProblem>;
  /** Ends the thread; what is not opened by then rejects. */
  close(): Promise<void>;
}

interface Pending {
  readonly resolve: (opened: OpenedCertificate | CertificateProblem) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Opens certificates in a thread of its own, one after another: who writes a
 * file chooses how much computing it takes to open. The thread starts with the
 * first file, and again after it has failed.
 */
export function createCertificateOpener(): CertificateOpener {
  const pending = new Map<number, Pending>();
  let thread: Worker | undefined;
  let lastId = 0;

  function start(): Worker {
    const started = new Worker(ownModule('provider/companies/certificate-thread'));
    // It alone keeps no process alive.
    started.unref();
    started.on('message', ({ id, opened, error }: OpeningAnswer) => {
      const waiting = pending.get(id);
      pending.delete(id);
      if (opened === undefined) waiting?.reject(new Error(error ?? 'the thread gave no answer'));
      else waiting?.resolve(opened);
    });
    let cause: unknown;
    started.on('error', (error) => {
      cause = error;
    });
    started.once('exit', () => {
      if (thread === started) thread = undefined;
      for (const { reject } of pending.values())
        reject(new Error('the thread that opens certificates ended', { cause }));
      pending.clear();
    });
    return started;
  }

  return {
    open: (file, password) =>
      new Promise((resolve, reject) => {
        const id = (lastId += 1);
        pending.set(id, { resolve, reject });
        thread ??= start();
        const request: OpeningRequest = { id, file, password };
        thread.postMessage(request, []);
      }),
    async close() {
      await thread?.terminate();
    },
  };
}
