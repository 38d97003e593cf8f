import { Agent, request as send } from 'node:http';
import { familyOf } from '../compare/families.mjs';
import { bodyOf, listen } from './listen.mjs';

/**
 * Counts of the webhooks between provider and receiver.
 *
 * @typedef {object} ProxyCounts
 * @property {number} sent requests
 * @property {number} duplicated with the id of an accepted one
 * @property {number} resigned the same content with a new id
 * @property {number} reordered arrived after a later one of the same record
 * @property {number} truncated
 * @property {number} resent after a failed attempt
 * @property {number} rejected with a status other than 2xx
 * @property {number} unanswered while the receiver was down
 */

/**
 * A reverse proxy in front of the receiver that counts webhooks. It is independent
 * of both sides and is never killed.
 *
 * @param {string} target the receiver's URL for webhooks
 */
export async function startCountingProxy(target) {
  /** @type {ProxyCounts} */
  const counts = {
    sent: 0,
    duplicated: 0,
    resigned: 0,
    reordered: 0,
    truncated: 0,
    resent: 0,
    rejected: 0,
    unanswered: 0,
  };
  const agent = new Agent({ keepAlive: true });
  /** Message ids, and whether the receiver accepted them. @type {Map<string, boolean>} */
  const messages = new Map();
  /** The newest event of each record. @type {Map<string, number>} */
  const newest = new Map();

  /**
   * @param {string} id
   * @param {{ readonly record: string, readonly event: number, readonly isRepeat: boolean } | null} webhook null
   *   if it is truncated
   */
  function note(id, webhook) {
    counts.sent += 1;
    if (webhook === null) counts.truncated += 1;
    else if (messages.get(id) === true) counts.duplicated += 1;
    else if (messages.has(id)) counts.resent += 1;
    else if (webhook.isRepeat) counts.resigned += 1;
    else {
      const before = newest.get(webhook.record) ?? 0;
      if (webhook.event < before) counts.reordered += 1;
      newest.set(webhook.record, Math.max(before, webhook.event));
    }
  }

  const listener = await listen((request, response) => {
    void (async () => {
      const body = await bodyOf(request);
      const id = String(request.headers['webhook-id']);
      note(id, webhookIn(id, body));
      const status = await forward(request, body, response, { agent, target });
      const isTaken = status !== null && status >= 200 && status < 300;
      messages.set(id, isTaken || messages.get(id) === true);
      if (status === null) counts.unanswered += 1;
      else if (!isTaken) counts.rejected += 1;
    })().catch(() => response.destroy());
  });
  return { ...listener, counts };
}

/**
 * @param {string} id `msg_<8 characters><number of the event>`, with `r<number>` appended for a repeat
 * @param {Buffer} body
 */
function webhookIn(id, body) {
  try {
    const { type, data } = JSON.parse(body.toString());
    const [, event = '0', repeat] = /^msg_.{8}(\d+)(r\d+)?$/u.exec(id) ?? [];
    return { record: `${familyOf(type)}:${data.id}`, event: Number(event), isRepeat: repeat !== undefined };
  } catch {
    return null;
  }
}

/**
 * @param {import('node:http').IncomingMessage} request
 * @param {Buffer} body
 * @param {import('node:http').ServerResponse} response
 * @param {{ readonly agent: Agent, readonly target: string }} how
 * @returns {Promise<number | null>} the receiver's status; null without a response
 */
function forward({ headers }, body, response, { agent, target }) {
  return new Promise((resolve) => {
    const onward = send(
      target,
      { agent, method: 'POST', headers: { ...headers, host: new URL(target).host } },
      (received) => {
        const { statusCode = 502 } = received;
        response.writeHead(statusCode, received.headers);
        received.pipe(response);
        received.once('close', () => resolve(received.complete ? statusCode : null));
      },
    );
    onward.once('error', () => {
      if (!response.headersSent) response.writeHead(502).end();
      resolve(null);
    });
    onward.end(body);
  });
}
