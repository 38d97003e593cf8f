import { Agent, request as send } from 'node:http';
import { familyOf } from '../compare/families.mjs';
import { bodyOf, listen } from './listen.mjs';

/**
 * What was seen of the webhooks on their way.
 *
 * @typedef {object} WireCounts
 * @property {number} sent requests
 * @property {number} duplicated with the id of one that the receiver has taken
 * @property {number} resigned the same once more, with an id of its own
 * @property {number} reordered arrived after a later one of their record
 * @property {number} truncated
 * @property {number} resent after a try that failed
 * @property {number} refused answered anything but 2xx
 * @property {number} unanswered the receiver was not there
 */

/**
 * A reverse proxy before the receiver, as most have one, that counts what goes
 * over the wire. It belongs to neither side, so what it says does not depend on
 * what either of them believes, and nobody kills it.
 *
 * @param {string} target where the receiver takes webhooks
 */
export async function startWire(target) {
  /** @type {WireCounts} */
  const counts = {
    sent: 0,
    duplicated: 0,
    resigned: 0,
    reordered: 0,
    truncated: 0,
    resent: 0,
    refused: 0,
    unanswered: 0,
  };
  const agent = new Agent({ keepAlive: true });
  /** Ids of messages that were seen, and whether the receiver took them. @type {Map<string, boolean>} */
  const messages = new Map();
  /** The newest event of each record. @type {Map<string, number>} */
  const newest = new Map();

  /**
   * @param {string} id
   * @param {{ readonly record: string, readonly event: number, readonly isRepeat: boolean } | null} webhook null
   *   where it is cut off
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
      const status = await passOn(request, body, response, { agent, target });
      const isTaken = status !== null && status >= 200 && status < 300;
      messages.set(id, isTaken || messages.get(id) === true);
      if (status === null) counts.unanswered += 1;
      else if (!isTaken) counts.refused += 1;
    })().catch(() => response.destroy());
  });
  return { ...listener, counts };
}

/**
 * @param {string} id `msg_<8 characters><number of the event>`, of a repeat with `r<number>` behind it
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
 * @returns {Promise<number | null>} what the receiver answered; null without an answer
 */
function passOn({ headers }, body, response, { agent, target }) {
  return new Promise((resolve) => {
    const onward = send(
      target,
      { agent, method: 'POST', headers: { ...headers, host: new URL(target).host } },
      (answer) => {
        const { statusCode = 502 } = answer;
        response.writeHead(statusCode, answer.headers);
        answer.pipe(response);
        answer.once('close', () => resolve(answer.complete ? statusCode : null));
      },
    );
    onward.once('error', () => {
      if (!response.headersSent) response.writeHead(502).end();
      resolve(null);
    });
    onward.end(body);
  });
}
