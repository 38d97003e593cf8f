import { Agent, request as send } from 'node:http';
import { bodyOf } from './listen.mjs';

/** Milliseconds for a response. The provider waits for ten seconds, in which each of three receivers is tried. */
const LIMIT_MS = 2_000;
/** Milliseconds for which a receiver that did not respond is asked last. */
const REST_MS = 2_000;

/**
 * @typedef {object} Response
 * @property {number} status
 * @property {import('node:http').IncomingHttpHeaders} headers
 * @property {Buffer} body
 *
 * @typedef {object} Forwarded
 * @property {Response | null} response null if no receiver responded
 * @property {number} passedOn receivers that did not respond before
 */

/**
 * Forwards webhooks to receivers in turn. One that does not respond is passed over: the next one gets the webhook,
 * too, and recognises it as a repeat if the other one has stored it.
 *
 * @param {readonly string[]} targets the receivers' URLs for webhooks
 */
export function createLoadBalancer(targets) {
  const agent = new Agent({ keepAlive: true });
  /** When each receiver may be asked again. */
  const restsUntil = targets.map(() => 0);
  const taken = targets.map(() => 0);
  let turn = 0;

  /** The receivers in the order in which they are asked. */
  function order() {
    turn += 1;
    const inTurn = targets.map((_, at) => (turn + at) % targets.length);
    const now = performance.now();
    /** @param {number} place */
    const rests = (place) => (restsUntil[place] ?? 0) > now;
    return [...inTurn.filter((place) => !rests(place)), ...inTurn.filter(rests)];
  }

  /**
   * @param {import('node:http').IncomingHttpHeaders} headers
   * @param {Buffer} body
   * @returns {Promise<Forwarded>}
   */
  async function forward(headers, body) {
    let passedOn = 0;
    for (const place of order()) {
      const limitMs = targets.length > 1 ? LIMIT_MS : undefined;
      const response = await post(targets[place] ?? '', { headers, body, agent, limitMs });
      if (response !== null) {
        if (isTaken(response.status)) taken[place] = (taken[place] ?? 0) + 1;
        return { response, passedOn };
      }
      restsUntil[place] = performance.now() + REST_MS;
      passedOn += 1;
    }
    return { response: null, passedOn: passedOn - 1 };
  }

  return {
    forward,
    /** The webhooks that each receiver has accepted. */
    taken: /** @type {readonly number[]} */ (taken),
  };
}

/** @param {number} status */
export function isTaken(status) {
  return status >= 200 && status < 300;
}

/**
 * @param {string} target
 * @param {object} what
 * @param {import('node:http').IncomingHttpHeaders} what.headers
 * @param {Buffer} what.body
 * @param {Agent} what.agent
 * @param {number | undefined} what.limitMs
 * @returns {Promise<Response | null>} null without a complete response
 */
function post(target, { headers, body, agent, limitMs }) {
  return new Promise((resolve) => {
    const request = send(
      target,
      {
        agent,
        method: 'POST',
        headers: { ...headers, host: new URL(target).host },
        ...(limitMs !== undefined && { signal: AbortSignal.timeout(limitMs) }),
      },
      (received) => {
        bodyOf(received).then(
          (text) => resolve({ status: received.statusCode ?? 502, headers: received.headers, body: text }),
          () => resolve(null),
        );
      },
    );
    request.once('error', () => resolve(null));
    request.end(body);
  });
}
