import { once } from 'node:events';
import { get } from 'node:http';

/** The name of the message that ends what a stream sends to whoever joins it. */
const JOINED = 'event: beat';

/**
 * Opens a stream of the live page and reads what it sends, without a browser. Resolves when the stream has sent what
 * came before: joining is no part of a measurement of streams that are open.
 *
 * @param {string} operators the address of the private port
 */
export async function openLivePage(operators) {
  const request = get(`${operators}/live/stream`);
  const [response] = /** @type {[import('node:http').IncomingMessage]} */ (await once(request, 'response'));
  if (response.statusCode !== 200) throw new Error(`a live page got ${response.statusCode}`);
  let bytes = 0;
  let begin = '';
  /** @type {Promise<void>} */
  const joined = new Promise((resolve, reject) => {
    response.on('data', (/** @type {Buffer} */ chunk) => {
      bytes += chunk.length;
      if (begin === JOINED) return;
      begin += chunk.toString('latin1');
      if (!begin.includes(JOINED)) return;
      begin = JOINED;
      resolve();
    });
    // The end of the measurement cuts the stream.
    response.on('error', reject);
  });
  await joined;
  return {
    bytes: () => bytes,
    isOpen: () => !response.complete && !response.destroyed,
    close: () => request.destroy(),
  };
}
