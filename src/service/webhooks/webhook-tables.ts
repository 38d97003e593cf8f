import type { Generated } from 'kysely';

export interface WebhookTables {
  webhook_endpoints: {
    id: Generated<number>;
    organization_id: number;
    url: string;
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
    status: 'pending' | 'delivered' | 'given-up';
    attempts: Generated<number>;
    /** When it is to be tried (again). */
    due_at: string;
  };
}
