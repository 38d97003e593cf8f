import { familyOf } from '../compare/families.mjs';
import { bodyOf, listen } from './listen.mjs';
import { createLoadBalancer, isTaken } from './load-balancer.mjs';

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
 * @property {number} unanswered while no receiver responded
 * @property {number} passedOn to another receiver, because one did not respond
 */

/**
 * A reverse proxy in front of the receivers that counts webhooks. It is independent
 * of both sides and is never killed.
 *
 * @param {readonly string[]} targets the receivers' URLs for webhooks
 */
export async function startCountingProxy(targets) {
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
    passedOn: 0,
  };
  const balancer = createLoadBalancer(targets);
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
      const { response: received, passedOn } = await balancer.forward(request.headers, body);
      messages.set(id, (received !== null && isTaken(received.status)) || messages.get(id) === true);
      counts.passedOn += passedOn;
      if (received === null) counts.unanswered += 1;
      else if (!isTaken(received.status)) counts.rejected += 1;
      if (received === null) response.writeHead(502).end();
      else response.writeHead(received.status, received.headers).end(received.body);
    })().catch(() => response.destroy());
  });
  return { ...listener, counts, taken: balancer.taken };
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
