import Database from 'better-sqlite3';
import { familyOf } from './families.mjs';

/**
 * @typedef {object} SentEvent
 * @property {string} messageId
 * @property {string} type
 * @property {Readonly<Record<string, any>>} data
 * @property {boolean} isLost whether the provider never sent it, or gave it up
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
    /**
     * The webhooks of each subject, in the order of their changes.
     *
     * @returns {ReadonlyMap<string, readonly SentEvent[]>}
     */
    sent() {
      const [{ message_prefix: prefix }] = all('select message_prefix from webhook_endpoints');
      /** @type {Map<string, SentEvent[]>} */
      const sent = new Map();
      for (const { id: eventId, type, body, delivered } of all(`
        select id, type, body, exists (select 1 from webhook_deliveries
          where event_id = webhook_events.id and status not in ('lost', 'dead')) as delivered
        from webhook_events order by id`)) {
        const { data } = JSON.parse(body);
        const subject = `${familyOf(type)}:${data.id}`;
        const event = { messageId: `msg_${prefix}${eventId}`, type, data, isLost: delivered === 0 };
        sent.set(subject, [...(sent.get(subject) ?? []), event]);
      }
      return sent;
    },
    /**
     * The violations and slips of users, and of those whose link is inactive.
     *
     * @param {ReadonlySet<number>} users
     * @returns {ReadonlySet<string>} subjects
     */
    subjectsOf(users) {
      const inactive = all("select id from users where status = 'inactive'").map(({ id }) => id);
      const owners = new Set([...users, ...inactive]);
      const owned = all(`
        select 'traffic-violation:' || id as subject, user_id as owner from traffic_violations
        union all
        select 'traffic-violation-ticket:' || slips.id, user_id
        from traffic_violation_tickets as slips
        join traffic_violations on traffic_violations.id = slips.traffic_violation_id`);
      return new Set(owned.filter(({ owner }) => owners.has(owner)).map(({ subject }) => subject));
    },
  };
}
