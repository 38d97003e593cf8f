import type { Generated } from 'kysely';

export interface WidgetTables {
  widgets: { uid: string; organization_id: number; created_at: string };
  widget_users: {
    id: Generated<number>;
    organization_id: number;
    external_uid: string;
    tax_id: string | null;
    phone: string | null;
    created_at: string;
    updated_at: string;
  };
  widget_sign_ins: {
    /** Of the address's last segment. */
    hash: Uint8Array;
    organization_id: number;
    widget_uid: string;
    widget_user_id: number;
    created_at: string;
  };
}
