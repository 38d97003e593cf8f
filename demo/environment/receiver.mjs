import { command, daemon } from './program.mjs';

/**
 * @typedef {object} ReceiverSettings
 * @property {string} name also names its log
 * @property {string} database
 * @property {number} port
 * @property {number} opsPort
 * @property {string} secret verifies webhooks
 * @property {string} forwardUrl
 * @property {string} forwardSecret
 * @property {string} apiUrl the provider's
 * @property {string} apiKey
 */

/**
 * The receiver with the shipped handlers, as `portaria serve` runs it.
 *
 * @typedef {import('./program.mjs').Daemon & {
 *   readonly name: string,
 *   read: (path: string) => Promise<any>,
 *   find: (path: string) => Promise<any>,
 *   run: (args: readonly string[], expected?: readonly number[]) => Promise<string>,
 * }} Receiver
 *
 * @param {import('./program.mjs').Workspace} workspace
 * @param {ReceiverSettings} settings
 * @returns {Receiver}
 */
export function receiver(workspace, settings) {
  const operators = `http://127.0.0.1:${settings.opsPort}`;
  const env = {
    PORTARIA_DATABASE: settings.database,
    PORTARIA_PORT: String(settings.port),
    PORTARIA_OPS_PORT: String(settings.opsPort),
    PORTARIA_VERIFY: 'standard',
    PORTARIA_SECRETS: settings.secret,
    PORTARIA_FORWARD_URL: settings.forwardUrl,
    PORTARIA_FORWARD_SECRET: settings.forwardSecret,
    PORTARIA_API_URL: settings.apiUrl,
    PORTARIA_API_KEY: settings.apiKey,
    PORTARIA_LOG_LEVEL: 'warn',
    PORTARIA_LOG_FORMAT: 'json',
  };
  const running = daemon(workspace, {
    name: settings.name,
    args: ['serve'],
    env,
    isReady: async () => {
      try {
        return (await fetch(`${operators}/readyz`)).ok;
      } catch {
        return false;
      }
    },
  });
  /** Null if it does not exist. @type {Receiver['find']} */
  async function find(path) {
    const response = await fetch(`${operators}${path}`);
    if (response.status === 404) return null;
    if (!response.ok) throw new Error(`the receiver failed ${path} with ${response.status}`);
    return response.json();
  }
  return Object.assign(running, {
    name: settings.name,
    /** Reads from the private port. @type {Receiver['read']} */
    read: async (path) => {
      const found = await find(path);
      if (found === null) throw new Error(`the receiver has no ${path}`);
      return found;
    },
    find,
    /** @type {Receiver['run']} */
    run: (args, expected) => command(workspace, args, env, expected),
  });
}
