import { Webhook } from 'standardwebhooks';
import { keyedRandom } from '../day/keyed-random.mjs';
import { bodyOf, listen } from './listen.mjs';

/** The share of requests that fail. */
const FAILURE_SHARE = 0.03;

/**
 * The application behind the receiver: verifies and counts forwarded events, and
 * fails some of them.
 *
 * @param {{ readonly secret: string, readonly seed: number }} options
 */
export async function startApplication({ secret, seed }) {
  const webhook = new Webhook(secret);
  const counts = { requests: 0, failed: 0, taken: 0, again: 0, unsigned: 0 };
  /** @type {Set<string>} */
  const taken = new Set();

  /** @param {import('node:http').IncomingMessage} request */
  async function respond(request) {
    const body = await bodyOf(request);
    const headers = /** @type {Record<string, string>} */ (request.headers);
    const { 'webhook-id': id = '', 'portaria-attempt': attempt = '' } = headers;
    counts.requests += 1;
    try {
      webhook.verify(body.toString(), headers);
    } catch {
      counts.unsigned += 1;
      return 401;
    }
    if (keyedRandom(seed, `${id}/${attempt}`) < FAILURE_SHARE) {
      counts.failed += 1;
      return 500;
    }
    counts[taken.has(id) ? 'again' : 'taken'] += 1;
    taken.add(id);
    return 204;
  }

  const listener = await listen((request, response) => {
    respond(request).then(
      (status) => response.writeHead(status).end(),
      () => response.destroy(),
    );
  });
  return { ...listener, counts };
}
