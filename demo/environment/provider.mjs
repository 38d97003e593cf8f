import { join } from 'node:path';
import { command, daemon } from './program.mjs';

/** The name of the fleet's organization. */
const ORGANIZATION = 'Serra Azul';

/** Effects on webhooks, none of which is lost for good. */
const CHAOS = 'duplicates=0.1,resign=0.05,reorder=0.15,delay=0.05,drops=0.05,truncation=0.03,bursts=0.005';
/** The share of webhooks that are never sent, if any are. */
const LOSSES = ',losses=0.05';

/** Webhooks in flight; those of a record stay in order. */
const LANES = 16;

/**
 * The provider, as `portaria provider` runs it.
 *
 * @typedef {import('./program.mjs').Daemon & {
 *   readonly url: string,
 *   readonly database: string,
 *   createKey: () => Promise<string>,
 *   populate: (size: { readonly companies: number, readonly violations: number }) => Promise<void>,
 *   sendTo: (url: string, secret: string) => Promise<void>,
 * }} Provider
 *
 * @param {import('./program.mjs').Workspace} workspace
 * @param {object} options
 * @param {number} options.port
 * @param {number} options.seed
 * @param {boolean} options.calm whether webhooks are sent without chaos
 * @param {boolean} options.losses whether chaos loses webhooks for good
 * @returns {Provider}
 */
export function provider(workspace, { port, seed, calm, losses }) {
  const database = join(workspace.folder, 'provider.db');
  const url = `http://127.0.0.1:${port}`;
  /** @param {string[]} args */
  const run = (...args) => command(workspace, ['provider', ...args, '--database', database]);
  const running = daemon(workspace, {
    name: 'provider',
    args: [
      'provider',
      '--database',
      database,
      '--port',
      String(port),
      ...(calm ? [] : ['--chaos', `${CHAOS}${losses ? LOSSES : ''}`]),
      '--seed',
      String(seed),
    ],
    env: {},
    // A request without a key gets 401.
    isReady: async () => (await statusOf(`${url}/v1/companies`)) === 401,
  });
  return Object.assign(running, {
    url,
    database,
    createKey: async () => (await run('keys', 'create', ORGANIZATION)).trim(),
    /** @type {Provider['populate']} */
    populate: async ({ companies, violations }) => {
      const sizes = ['--companies', String(companies), '--violations', String(violations)];
      await run('seed', ...sizes, '--seed', String(seed), '--organization', ORGANIZATION);
    },
    /** @type {Provider['sendTo']} */
    sendTo: async (to, secret) => {
      await run('endpoints', 'add', to, '--secret', secret, '--lanes', String(LANES));
    },
  });
}

/** @param {string} url */
async function statusOf(url) {
  try {
    return (await fetch(url)).status;
  } catch {
    return null;
  }
}
