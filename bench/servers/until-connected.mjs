import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** Milliseconds until a server listens. */
const TIMEOUT_MS = 20_000;

/**
 * Resolves once the child listens on a loopback port.
 *
 * @param {number} port
 * @param {import('node:child_process').ChildProcess} child
 */
export async function untilConnected(port, child) {
  for (let waited = 0; waited < TIMEOUT_MS; waited += 20) {
    if (child.exitCode !== null) break;
    const socket = connect(port, '127.0.0.1');
    try {
      await once(socket, 'connect');
      return;
    } catch {
      await pause(20);
    } finally {
      socket.destroy();
    }
  }
  throw new Error(`${child.spawnfile} does not listen`);
}
