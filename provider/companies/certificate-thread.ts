import { parentPort, workerData } from 'node:worker_threads';
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
function open({ file, password }: CertificateFile): CertificateResult {
  return openCertificate(file, password);
}

parentPort?.postMessage(open(workerData as CertificateFile));
