import Database from 'better-sqlite3';
import { familyOf } from './families.mjs';

/**
 * A record with at least one webhook.
 *
 * @typedef {object} SentSubject
 * @property {string} subject `family:id`, as in the receiver
 * @property {import('./families.mjs').Family} family
 * @property {number | string} id
 * @property {readonly SentEvent[]} events in the order of their changes
 *
 * @typedef {object} SentEvent
 * @property {string} messageId
 * @property {string} type
 * @property {Readonly<Record<string, any>>} data
 */

/**
 * The provider's outbox: all webhooks, and those that are still to be sent.
 *
 * @param {string} file the provider's database, opened read-only
 */
export function openOutbox(file) {
  const database = new Database(file, { readonly: true, fileMustExist: true });
  database.pragma('busy_timeout = 5000');
  /** @param {string} sql */
  const all = (sql) => /** @type {any[]} */ (database.prepare(sql).all());
  return {
    close: () => void database.close(),
    /** The number of webhooks by status. */
    left() {
      const rows = all('select status, count(*) as count from webhook_deliveries group by status');
      const counts = Object.fromEntries(rows.map(({ status, count }) => [status, count]));
      return {
        waiting: (counts['pending'] ?? 0) + (counts['aside'] ?? 0),
        dead: counts['dead'] ?? 0,
        lost: counts['lost'] ?? 0,
      };
    },
    changes: () => Number(all('select count(*) as count from webhook_events')[0].count),
    /** @returns {ReadonlyMap<string, SentSubject>} by subject */
    sent() {
      const [{ message_prefix: prefix }] = all('select message_prefix from webhook_endpoints');
      /** @type {Map<string, Omit<SentSubject, 'events'> & { events: SentEvent[] }>} */
      const sent = new Map();
      for (const { id: eventId, type, body } of all(
        'select id, type, body from webhook_events order by id',
      )) {
        const { data } = JSON.parse(body);
        const family = familyOf(type);
        const subject = `${family}:${data.id}`;
        const known = sent.get(subject) ?? {
          subject,
          family,
          id: data.id,
          events: /** @type {SentEvent[]} */ ([]),
        };
        known.events.push({ messageId: `msg_${prefix}${eventId}`, type, data });
        sent.set(subject, known);
      }
      return sent;
    },
    /** The violation of each indication, which its record lacks. @returns {ReadonlyMap<number, number>} */
    violationsOfIndications() {
      const rows = all('select id, traffic_violation_id as violation from traffic_violation_indications');
      return new Map(rows.map(({ id, violation }) => [id, violation]));
    },
  };
}
