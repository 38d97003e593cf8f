import { join } from 'node:path';
import { findProgram } from '../load/find-program.mjs';
import { freePort } from './free-port.mjs';
import { untilConnected } from './until-connected.mjs';

/**
 * Starts Redis with `appendfsync always`. Undefined if it is not installed.
 *
 * @param {import('../lifetime/supervisor.mjs').Supervisor} supervisor
 * @returns {Promise<{ port: number, stop: () => Promise<void> } | undefined>}
 */
export async function startRedis(supervisor) {
  const program = findProgram('redis-server') ?? findProgram('valkey-server');
  if (program === undefined) return undefined;
  const folder = await supervisor.folder('redis');
  const port = await freePort();
  const settings = {
    bind: '127.0.0.1',
    port: String(port),
    dir: folder,
    logfile: join(folder, 'log'),
    appendonly: 'yes',
    appendfsync: 'always',
    save: '',
    'maxmemory-policy': 'noeviction',
  };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
  const child = supervisor.start(program, args, { stdio: 'ignore' });
  await untilConnected(port, child);
  return { port, stop: () => supervisor.stop(child) };
}
