import { Webhook } from 'standardwebhooks';
import { keyedShare } from '../day/keyed-share.mjs';
import { bodyOf, listen } from './listen.mjs';

/** How often it fails, of all that it is sent. */
const FAILURE_SHARE = 0.03;

/**
 * The application behind the receiver: takes what is forwarded once it knows
 * that it comes from there, and fails now and then, as applications do.
 *
 * @param {{ readonly secret: string, readonly seed: number }} options
 */
export async function startApplication({ secret, seed }) {
  const webhook = new Webhook(secret);
  const counts = { requests: 0, failed: 0, taken: 0, again: 0, unsigned: 0 };
  /** @type {Set<string>} */
  const taken = new Set();

  /** @param {import('node:http').IncomingMessage} request */
  async function answer(request) {
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
    if (keyedShare(seed, `${id}/${attempt}`) < FAILURE_SHARE) {
      counts.failed += 1;
      return 500;
    }
    counts[taken.has(id) ? 'again' : 'taken'] += 1;
    taken.add(id);
    return 204;
  }

  const listener = await listen((request, response) => {
    answer(request).then(
      (status) => response.writeHead(status).end(),
      () => response.destroy(),
    );
  });
  return { ...listener, counts };
}
