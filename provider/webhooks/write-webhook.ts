/** Writes a webhook to the outbox. */
import type { Database } from 'better-sqlite3';
import { catalogue, type EventKind } from '../../src/contract/catalogue.ts';

/** A webhook to add to the outbox. */
export interface NewWebhook {
  readonly organization: number;
  readonly type: EventKind;
  /** Id of the record in the event. All events of a record share a lane. */
  readonly recordId: number | string;
  /** Request body. */
  readonly body: string;
  /** Time of the change, ISO 8601. */
  readonly at: string;
}

/**
 * Adds a webhook to the outbox, in the current transaction, with one delivery for
 * each endpoint of the organization.
 *
 * @returns false when the organization has no endpoint; nothing is written then.
 */
export type WriteWebhook = (webhook: NewWebhook) => boolean;

/** Prepares the statements once: every change runs them. */
export function prepareWebhookWriting(sqlite: Database): WriteWebhook {
  const insertEvent = sqlite
    .prepare<[number, string, string, string, number], number>(
      `insert into webhook_events (organization_id, type, body, created_at)
       select ?, ?, ?, ? where exists (select 1 from webhook_endpoints where organization_id = ?)
       returning id`,
    )
    .pluck();
  const insertDeliveries = sqlite.prepare<[number, number, string, number]>(
    `insert into webhook_deliveries (organization_id, endpoint_id, event_id, lane, status, due_at)
     select organization_id, id, ?, ? % lanes, 'pending', ?
     from webhook_endpoints where organization_id = ? order by id`,
  );
  return ({ organization, type, recordId, body, at }) => {
    const id = insertEvent.get(organization, type, body, at, organization);
    if (id === undefined) return false;
    insertDeliveries.run(id, laneHash(type, recordId), at, organization);
    return true;
  };
}

/** FNV-1a of the record's family and id: keeps the events of a record in one lane, and so in order. */
function laneHash(kind: EventKind, recordId: number | string): number {
  let hash = 0x811c9dc5;
  for (const character of `${catalogue[kind].family}:${String(recordId)}`)
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return hash >>> 0;
}
