/** Milliseconds for a response, all simulated changes included. */
const LIMIT_MS = 60_000;

/** A failed request to the control API. */
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
 * A client of the provider's control API, which simulates time, agencies and drivers.
 *
 * @typedef {object} Control
 * @property {(path: string) => Promise<any>} read
 * @property {(path: string, body?: object) => Promise<any>} post
 * @property {(path: string, body: object) => Promise<any>} put
 * @property {(path: string) => Promise<any>} remove
 *
 * @param {string} url of the service
 * @returns {Control}
 */
export function createControl(url) {
  /**
   * @param {string} path
   * @param {RequestInit} init
   */
  async function call(path, init) {
    /** @type {Response} */
    let response;
    /** @type {any} */
    let body;
    try {
      response = await fetch(`${url}/control${path}`, { ...init, signal: AbortSignal.timeout(LIMIT_MS) });
      body = await response.json();
    } catch (error) {
      throw new ControlError('unreachable', `no response to ${path}`, { cause: error });
    }
    if (response.ok) return body.data;
    const code = { 404: /** @type {const} */ ('not-found'), 409: /** @type {const} */ ('conflict') }[
      response.status
    ];
    throw new ControlError(code ?? 'failed', `${path} failed with ${response.status}: ${body.message}`);
  }
  /**
   * @param {'POST' | 'PUT'} method
   * @returns {(path: string, json?: object) => Promise<any>}
   */
  const sending = (method) => (path, json) =>
    call(path, {
      method,
      ...(json && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(json) }),
    });
  return {
    read: (path) => call(path, {}),
    remove: (path) => call(path, { method: 'DELETE' }),
    post: sending('POST'),
    put: sending('PUT'),
  };
}
