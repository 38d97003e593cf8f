/** The tables of driver indications and of the signing of their documents. */
import type { z } from 'zod';
import type { indicationStatus } from '../../src/contract/record/indication.ts';
import {
  id,
  integer,
  integerOrNull,
  organization,
  reference,
  table,
  text,
  textOrNull,
} from '../database/table.ts';

export type IndicationStatus = z.infer<typeof indicationStatus>;
export type IndicationFlow = 'automated' | 'form';
export type DocumentStatus = 'pending' | 'signed' | 'refused' | 'expired' | 'canceled';
export type SignerStatus = 'pending' | 'signed' | 'refused';

export const indicationTable = table(
  'traffic_violation_indications',
  {
    id,
    organization_id: organization,
    traffic_violation_id: reference('traffic_violations', 'on delete cascade'),
    status: text<IndicationStatus>(),
    status_reason: textOrNull(),
    tax_id: text(),
    name: textOrNull(),
    email: textOrNull(),
    phone: textOrNull(),
    flow: text<IndicationFlow>(),
    license: textOrNull(),
    id_number: textOrNull(),
    id_issuer: textOrNull(),
    transfer: integerOrNull<0 | 1>(),
    external: integer<0 | 1>(),
    /** Values for the document templates, a JSON object of strings. */
    vars: textOrNull(),
    /** Ids of document templates, as a JSON array. */
    documents: textOrNull(),
    requester_email: textOrNull(),
    requester_phone: textOrNull(),
    created_at: text(),
    updated_at: text(),
  },
  {
    also: `
    create index traffic_violation_indications_by_violation on traffic_violation_indications (traffic_violation_id);
    -- At most one pending indication per violation (specification, Limits).
    create unique index traffic_violation_indications_pending
      on traffic_violation_indications (traffic_violation_id) where status = 'pending';`,
  },
);

/** Labels that the organization gives to statuses. */
export const indicationRuleTable = table(
  'indication_rules',
  {
    organization_id: organization,
    status: text<IndicationStatus>(),
    label: text(),
    description: textOrNull(),
  },
  { constraints: ['primary key (organization_id, status)'], withoutRowid: true },
);

export const signingDocumentTable = table(
  'signing_documents',
  {
    id,
    organization_id: organization,
    indication_id: reference('traffic_violation_indications', 'on delete cascade'),
    token: text(),
    name: text(),
    status: text<DocumentStatus>(),
    signed_at: textOrNull(),
    created_at: text(),
    last_update_at: text(),
  },
  { constraints: ['unique (indication_id)', 'unique (token)'] },
);

export const documentSignerTable = table(
  'document_signers',
  {
    id,
    organization_id: organization,
    document_id: reference('signing_documents', 'on delete cascade'),
    /** Position in the signing order; 0 is the driver. */
    position: integer(),
    token: text(),
    sign_url: text(),
    status: text<SignerStatus>(),
    name: textOrNull(),
    email: textOrNull(),
    times_viewed: integer(),
    last_view_at: textOrNull(),
    signed_at: textOrNull(),
  },
  { constraints: ['unique (token)', 'unique (document_id, position)'] },
);

export const documentEventTable = table(
  'document_events',
  {
    id,
    organization_id: organization,
    document_id: reference('signing_documents', 'on delete cascade'),
    event: text(),
    description: text(),
    created_at: text(),
  },
  { also: 'create index document_events_by_document on document_events (document_id);' },
);
