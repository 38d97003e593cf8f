import { once } from 'node:events';

/**
 * The addresses to open in a browser.
 *
 * @param {import('../environment/start-environment.mjs').Environment} environment
 */
export function pagesText({ pages }) {
  return [
    ...pages.consoles.map((url, at) => `  ${at === 0 ? "receiver's console" : '                  '}  ${url}`),
    `  provider's controls ${pages.provider}`,
  ].join('\n');
}

/**
 * Waits until the signal is aborted, as by Ctrl-C.
 *
 * @param {AbortSignal} signal
 */
export async function untilInterrupted(signal) {
  // Timers keep the process alive; a listener does not.
  const alive = setInterval(() => undefined, 60_000);
  if (!signal.aborted) await once(signal, 'abort');
  clearInterval(alive);
}
