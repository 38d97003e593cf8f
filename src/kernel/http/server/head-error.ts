/** Rejects requests that a proxy and this server may read differently. */
import type { IncomingMessage } from 'node:http';

/** Why a request is rejected by its head alone. */
export interface HeadError {
  readonly status: 400 | 417 | 501;
  readonly message: string;
}

/**
 * Rejects a request whose end, host or expectation two readers may read differently (RFC 9112, sections 3.2
 * and 6.1; RFC 9110, section 10.1.1). Returns null for any other. HTTP/1.0 needs no Host and has no Expect.
 */
export function headError(request: IncomingMessage): HeadError | null {
  const { httpVersionMajor, httpVersionMinor, headers } = request;
  // Node reads headers and a body behind HTTP/0.9 and HTTP/2.0, too; other readers do not.
  if (httpVersionMajor !== 1) return { status: 400, message: 'The request is neither HTTP/1.1 nor HTTP/1.0' };
  const hosts = countHosts(request);
  if (hosts > 1) return { status: 400, message: 'The request names more than one host' };
  if (hosts === 0 && httpVersionMinor === 1) return { status: 400, message: 'The request names no host' };
  const coding = headers['transfer-encoding'];
  // HTTP/1.0 has no transfer codings, so readers do not agree where the body ends.
  if (coding !== undefined && httpVersionMinor === 0)
    return { status: 400, message: 'HTTP/1.0 has no Transfer-Encoding: send Content-Length' };
  // Node decodes chunks only, and would pass on compressed bytes as the body.
  if (coding !== undefined && coding.toLowerCase() !== 'chunked')
    return { status: 501, message: 'The only supported Transfer-Encoding is chunked' };
  const { expect } = headers;
  if (expect !== undefined && httpVersionMinor === 1 && expect.toLowerCase() !== '100-continue')
    return { status: 417, message: 'Only Expect: 100-continue is supported' };
  return null;
}

/** How many times `Host` was sent: Node keeps the first. Names are at the even positions of `rawHeaders`. */
function countHosts({ rawHeaders }: IncomingMessage): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count;
}
