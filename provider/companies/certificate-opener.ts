/** Opens digital certificates within a time limit. */
import { Worker } from 'node:worker_threads';
import type { Clock } from '../../src/kernel/time/clock.ts';
import { ownModule } from '../../src/kernel/files/package-files.ts';
import type { CertificateFile, CertificateResult } from './certificate-thread.ts';

/**
 * Milliseconds after which a certificate counts as too much work. Ordinary files take a few dozen, and those with
 * 600,000 rounds of key derivation, which .NET allows, a second or two; in old encryptions five.
 */
export const MAX_OPENING_MS = 15_000;
/** Maximum heap of the thread, in megabytes. Files have at most 100 kB. */
const MAX_HEAP_MB = 128;

/**
 * Opens a certificate in a thread of its own and terminates the thread after {@link MAX_OPENING_MS}.
 * The author of a file chooses how many rounds of key derivation it takes to open, so it
 * must block neither the provider nor the certificates of other organizations.
 *
 * @throws Error when the thread fails for a reason that is not the file's.
 */
export function openCertificateInThread(
  certificate: CertificateFile,
  clock: Pick<Clock, 'after'>,
): Promise<CertificateResult> {
  return new Promise((resolve, reject) => {
    const thread = new Worker(ownModule('provider/companies/certificate-thread'), {
      workerData: certificate,
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    });
    // An opening alone does not keep the process alive.
    thread.unref();
    const cancel = clock.after(MAX_OPENING_MS, () => {
      resolve('too much work');
      void thread.terminate();
    });
    thread.on('message', resolve);
    thread.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') resolve('too much work');
      else reject(error);
    });
    thread.on('exit', () => {
      cancel();
      reject(new Error('the certificate thread ended without a result'));
    });
  });
}
