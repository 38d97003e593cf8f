/** Milliseconds for an answer, all that happens on the way included. */
const LIMIT_MS = 60_000;

/** What the control API did not do, or nobody was there to do. */
export class ControlError extends Error {
  /**
   * @param {'unreachable' | 'conflict' | 'not-found' | 'failed'} code
   * @param {string} message
   * @param {ErrorOptions} [options]
   */
  constructor(code, message, options) {
    super(message, options);
    this.code = code;
  }
}

/**
 * The control API of the service, by which the world around a fleet is played:
 * time, agencies, drivers who sign.
 *
 * @typedef {object} Control
 * @property {(path: string) => Promise<any>} read
 * @property {(path: string, body?: object) => Promise<any>} have something happen
 *
 * @param {string} url of the service
 * @returns {Control}
 */
export function createControl(url) {
  /**
   * @param {string} path
   * @param {RequestInit} init
   */
  async function ask(path, init) {
    /** @type {Response} */
    let response;
    /** @type {any} */
    let answer;
    try {
      response = await fetch(`${url}/control${path}`, { ...init, signal: AbortSignal.timeout(LIMIT_MS) });
      answer = await response.json();
    } catch (error) {
      throw new ControlError('unreachable', `nobody answered ${path}`, { cause: error });
    }
    if (response.ok) return answer.data;
    const code = { 404: /** @type {const} */ ('not-found'), 409: /** @type {const} */ ('conflict') }[
      response.status
    ];
    throw new ControlError(code ?? 'failed', `${path} was answered ${response.status}: ${answer.message}`);
  }
  return {
    read: (path) => ask(path, {}),
    have: (path, body) =>
      ask(path, {
        method: 'POST',
        ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
      }),
  };
}
