import { once } from 'node:events';
import { createServer } from 'node:http';

/**
 * Starts a server in this process, on a free port of loopback.
 *
 * @param {import('node:http').RequestListener} listener
 * @returns {Promise<{ readonly url: string, close: () => void }>} `url` without a trailing slash
 */
export async function listen(listener) {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${port}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/**
 * @param {AsyncIterable<Buffer>} request
 * @returns {Promise<Buffer>}
 */
export async function bodyOf(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}
