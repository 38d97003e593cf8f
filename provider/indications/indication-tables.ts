/** The tables of driver indications, and their migration. */
import type { Generated } from 'kysely';
import type { z } from 'zod';
import type { indicationStatus } from '../../src/contract/record/indication.ts';
import type { Migration } from '../database/migration.ts';

export type IndicationStatus = z.infer<typeof indicationStatus>;
export type IndicationFlow = 'automated' | 'form';
export type DocumentStatus = 'pending' | 'signed' | 'refused' | 'expired' | 'canceled';
export type SignerStatus = 'pending' | 'signed' | 'refused';

/** The tables of driver indications and the signing of their documents. */
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
    /** Values for the document templates, a JSON object of strings. */
    vars: string | null;
    /** Ids of document templates, as a JSON array. */
    documents: string | null;
    requester_email: string | null;
    requester_phone: string | null;
    created_at: string;
    updated_at: string;
  };
  /** Labels that the organization gives to statuses. */
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
    /** Position in the signing order; 0 is the driver. */
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

/** Creates {@link IndicationTables}. */
export const addIndications: Migration = {
  name: 'driver indications and the signing of their documents',
  sql: `
    create table traffic_violation_indications (
      id integer primary key autoincrement,
      organization_id integer not null references organizations (id),
      traffic_violation_id integer not null references traffic_violations (id) on delete cascade,
      status text not null,
      status_reason text,
      tax_id text not null,
      name text,
      email text,
      phone text,
      flow text not null,
      license text,
      id_number text,
      id_issuer text,
      transfer integer,
      external integer not null,
      vars text,
      documents text,
      requester_email text,
      requester_phone text,
      created_at text not null,
      updated_at text not null
    );
    create index traffic_violation_indications_by_violation on traffic_violation_indications (traffic_violation_id);
    -- At most one pending indication per violation (specification, Limits).
    create unique index traffic_violation_indications_pending
      on traffic_violation_indications (traffic_violation_id) where status = 'pending';
    create table indication_rules (
      organization_id integer not null references organizations (id),
      status text not null,
      label text not null,
      description text,
      primary key (organization_id, status)
    ) without rowid;
    create table signing_documents (
      id integer primary key autoincrement,
      organization_id integer not null references organizations (id),
      indication_id integer not null unique references traffic_violation_indications (id) on delete cascade,
      token text not null unique,
      name text not null,
      status text not null,
      signed_at text,
      created_at text not null,
      last_update_at text not null
    );
    create table document_signers (
      id integer primary key autoincrement,
      organization_id integer not null references organizations (id),
      document_id integer not null references signing_documents (id) on delete cascade,
      position integer not null,
      token text not null unique,
      sign_url text not null,
      status text not null,
      name text,
      email text,
      times_viewed integer not null,
      last_view_at text,
      signed_at text,
      unique (document_id, position)
    );
    create table document_events (
      id integer primary key autoincrement,
      organization_id integer not null references organizations (id),
      document_id integer not null references signing_documents (id) on delete cascade,
      event text not null,
      description text not null,
      created_at text not null
    );
    create index document_events_by_document on document_events (document_id);
  `,
};
