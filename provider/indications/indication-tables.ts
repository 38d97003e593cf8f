import type { Generated } from 'kysely';
import type { DataOf } from '../../src/contract/catalogue.ts';

type Indication = DataOf<'traffic-violation.indication.created'>;

export type IndicationStatus = Indication['status'];
export type IndicationFlow = 'automated' | 'form';
export type DocumentStatus = 'pending' | 'signed' | 'refused' | 'expired' | 'canceled';
export type SignerStatus = 'pending' | 'signed' | 'refused';

export interface IndicationTables {
  traffic_violation_indications: {
    id: Generated<number>;
    organization_id: number;
    traffic_violation_id: number;
    status: IndicationStatus;
    status_reason: string | null;
    tax_id: string;
    name: string | null;
    email: string | null;
    phone: string | null;
    flow: IndicationFlow;
    license: string | null;
    id_number: string | null;
    id_issuer: string | null;
    transfer: 0 | 1 | null;
    external: 0 | 1;
    /** Texts by name, as JSON. */
    vars: string | null;
    /** Ids of document templates, as a JSON array. */
    documents: string | null;
    requester_email: string | null;
    requester_phone: string | null;
    created_at: string;
    updated_at: string;
  };
  /** What the organization calls a status. */
  indication_rules: {
    organization_id: number;
    status: IndicationStatus;
    label: string;
    description: string | null;
  };
  signing_documents: {
    id: Generated<number>;
    organization_id: number;
    indication_id: number;
    token: string;
    name: string;
    status: DocumentStatus;
    signed_at: string | null;
    created_at: string;
    last_update_at: string;
  };
  document_signers: {
    id: Generated<number>;
    organization_id: number;
    document_id: number;
    /** From 0, who is the driver. */
    position: number;
    token: string;
    sign_url: string;
    status: SignerStatus;
    name: string | null;
    email: string | null;
    times_viewed: number;
    last_view_at: string | null;
    signed_at: string | null;
  };
  document_events: {
    id: Generated<number>;
    organization_id: number;
    document_id: number;
    event: string;
    description: string;
    created_at: string;
  };
}
