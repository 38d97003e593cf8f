import { parentPort, type MessagePort } from 'node:worker_threads';
import { openCertificate, type CertificateProblem, type OpenedCertificate } from './open-certificate.ts';

/** A file to open. */
export interface OpeningRequest {
  readonly id: number;
  /** Base64. */
  readonly file: string;
  readonly password: string;
}

/** What came of it; an error's text where opening failed for a reason that it does not know. */
export interface OpeningAnswer {
  readonly id: number;
  readonly opened?: OpenedCertificate | CertificateProblem;
  readonly error?: string;
}

/** Opens one file after another, each of which may take a second of computing. */
function serve(port: MessagePort): void {
  port.on('message', ({ id, file, password }: OpeningRequest) => {
    let answer: OpeningAnswer;
    try {
      answer = { id, opened: openCertificate(file, password) };
    } catch (error) {
      answer = { id, error: String(error) };
    }
    port.postMessage(answer);
  });
}

if (parentPort !== null) serve(parentPort);
