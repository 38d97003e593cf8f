import Database from 'better-sqlite3';
import { familyOf } from './families.mjs';

/**
 * A record of which the service has told something.
 *
 * @typedef {object} Told
 * @property {string} subject `family:id`, as the receiver calls it
 * @property {import('./families.mjs').Family} family
 * @property {number | string} id
 * @property {readonly ToldEvent[]} events in the order in which they came about
 *
 * @typedef {object} ToldEvent
 * @property {string} messageId
 * @property {string} type
 * @property {Readonly<Record<string, any>>} data
 */

/**
 * The service's own outbox: what it has told, and what is still to be sent.
 *
 * @param {string} file the service's database, read only
 */
export function openOutbox(file) {
  const database = new Database(file, { readonly: true, fileMustExist: true });
  database.pragma('busy_timeout = 5000');
  /** @param {string} sql */
  const all = (sql) => /** @type {any[]} */ (database.prepare(sql).all());
  return {
    close: () => void database.close(),
    /** Webhooks by what became of them. */
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
    /** @returns {ReadonlyMap<string, Told>} by subject */
    told() {
      const [{ message_prefix: prefix }] = all('select message_prefix from webhook_endpoints');
      /** @type {Map<string, Omit<Told, 'events'> & { events: ToldEvent[] }>} */
      const told = new Map();
      for (const { id: eventId, type, body } of all(
        'select id, type, body from webhook_events order by id',
      )) {
        const { data } = JSON.parse(body);
        const family = familyOf(type);
        const subject = `${family}:${data.id}`;
        const known = told.get(subject) ?? {
          subject,
          family,
          id: data.id,
          events: /** @type {ToldEvent[]} */ ([]),
        };
        known.events.push({ messageId: `msg_${prefix}${eventId}`, type, data });
        told.set(subject, known);
      }
      return told;
    },
    /** Which violation an indication is for: nothing that it shows says so. @returns {ReadonlyMap<number, number>} */
    violationsOfIndications() {
      const rows = all('select id, traffic_violation_id as violation from traffic_violation_indications');
      return new Map(rows.map(({ id, violation }) => [id, violation]));
    },
  };
}
