import { once } from 'node:events';
import { createServer } from 'node:net';

/** A free loopback port. Another process could take it before it is used. */
export async function freePort() {
  const [port] = await freePorts(1);
  return /** @type {number} */ (port);
}

/**
 * Several different free ports. Consecutive calls of `freePort` may return the same one.
 *
 * @param {number} count
 */
export async function freePorts(count) {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map(
    (server) => /** @type {import('node:net').AddressInfo} */ (server.address()).port,
  );
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}
