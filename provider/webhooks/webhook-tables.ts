import type { Generated } from 'kysely';

/**
 * - `pending`: waits for its turn, behind what was recorded before it.
 * - `aside`: waits for its time and holds up nobody: held back by chaos, or a repeat made by it.
 * - `delivered`: the receiver answered 2xx.
 * - `dead`: every try failed. Kept, and can be tried again.
 * - `lost`: chaos lost it for good.
 */
export const deliveryStatuses = ['pending', 'aside', 'delivered', 'dead', 'lost'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** What a repeat keeps of the first: `duplicate` its message id, `resigned` nothing but the body. */
export type RepeatKind = 'duplicate' | 'resigned';

export interface WebhookTables {
  webhook_endpoints: {
    id: Generated<number>;
    organization_id: number;
    url: string;
    /** Signs by Standard Webhooks, `whsec_<base64>`. */
    secret: string | null;
    /** How many webhooks are on their way at a time at most. */
    lanes: Generated<number>;
    /** Makes message ids unlike those of another installation. */
    message_prefix: Generated<string>;
    created_at: string;
  };
  webhook_events: {
    id: Generated<number>;
    organization_id: number;
    type: string;
    /** The webhook's body, as it is sent. */
    body: string;
    created_at: string;
  };
  webhook_deliveries: {
    id: Generated<number>;
    organization_id: number;
    endpoint_id: number;
    event_id: number;
    /** From 0 to the endpoint's `lanes` less one; the same for all events of a record. */
    lane: Generated<number>;
    status: DeliveryStatus;
    attempts: Generated<number>;
    /** When it is to be tried (again). */
    due_at: string;
    /** Why the last try failed. */
    failure: string | null;
    /** Set on what chaos sends once more. */
    repeats: RepeatKind | null;
  };
}
