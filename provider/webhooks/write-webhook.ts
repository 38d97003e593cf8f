import type { Database } from 'better-sqlite3';
import type { EventKind } from '../../src/contract/catalogue.ts';

/** What a change has to tell. */
export interface WrittenWebhook {
  readonly organization: number;
  readonly type: EventKind;
  /** As it is sent: for all endpoints the same. */
  readonly body: string;
  /** By which it gets its lane of each endpoint. */
  readonly laneHash: number;
  /** The moment of the change, ISO 8601. */
  readonly at: string;
}

/** Writes a webhook into the transaction of the moment. @returns whether the organization has an endpoint for it. */
export type WriteWebhook = (webhook: WrittenWebhook) => boolean;

/** Bare statements, because every change runs them. */
export function prepareWebhookWriting(sqlite: Database): WriteWebhook {
  const event = sqlite
    .prepare<[number, string, string, string, number], number>(
      `insert into webhook_events (organization_id, type, body, created_at)
       select ?, ?, ?, ? where exists (select 1 from webhook_endpoints where organization_id = ?)
       returning id`,
    )
    .pluck();
  const deliveries = sqlite.prepare<[number, number, string, number]>(
    `insert into webhook_deliveries (organization_id, endpoint_id, event_id, lane, status, due_at)
     select organization_id, id, ?, ? % lanes, 'pending', ?
     from webhook_endpoints where organization_id = ? order by id`,
  );
  return ({ organization, type, body, laneHash, at }) => {
    const id = event.get(organization, type, body, at, organization);
    // Nobody to tell.
    if (id === undefined) return false;
    deliveries.run(id, laneHash, at, organization);
    return true;
  };
}
