/** The thread that opens a certificate. */
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { openCertificate, type CertificateProblem, type OpenedCertificate } from './open-certificate.ts';

/** The worker data of a certificate thread. */
export interface CertificateFile {
  /** PKCS#12 file in base64. */
  readonly file: string;
  readonly password: string;
}

/** The only message of a certificate thread. */
export type CertificateResult = OpenedCertificate | CertificateProblem;

/** Opens one certificate. The parent terminates the thread if that takes too long. */
function open(port: MessagePort, { file, password }: CertificateFile): void {
  const result: CertificateResult = openCertificate(file, password);
  port.postMessage(result);
}

if (parentPort !== null) open(parentPort, workerData as CertificateFile);
