import { once } from 'node:events';
import { get } from 'node:http';

/**
 * Opens a stream of the live page and reads what it sends, without a browser.
 *
 * @param {string} operators the address of the private port
 */
export async function openLivePage(operators) {
  const request = get(`${operators}/live/stream`);
  const [response] = /** @type {[import('node:http').IncomingMessage]} */ (await once(request, 'response'));
  if (response.statusCode !== 200) throw new Error(`a live page got ${response.statusCode}`);
  let bytes = 0;
  response.on('data', (/** @type {Buffer} */ chunk) => (bytes += chunk.length));
  // The end of the measurement cuts the stream.
  response.on('error', () => undefined);
  return {
    bytes: () => bytes,
    isOpen: () => !response.complete && !response.destroyed,
    close: () => request.destroy(),
  };
}
