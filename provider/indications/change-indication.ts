/** Changes driver indications. */
import type { Insertable, Updateable } from 'kysely';
import type { NewIndication } from '../../src/contract/api/indication-endpoints.ts';
import type { Change } from '../change.ts';
import type { ProviderTables } from '../database/provider-tables.ts';
import { checkTransition } from '../http/check-transition.ts';
import { definedOnly } from '../http/defined-only.ts';
import { HttpError } from '../http/http-error.ts';
import { scheduleStep } from '../scenario/schedule-step.ts';
import { indicationUnavailableReason } from '../traffic-violations/availability.ts';
import { readAccessibleViolation, trafficViolations } from '../traffic-violations/traffic-violation.ts';
import { recordChange } from '../webhooks/record-change.ts';
import { addSigningDocument, recordDocumentEvent, type Signing } from './create-signing-document.ts';
import type { DocumentStatus, IndicationStatus } from './indication-tables.ts';
import { type IndicationRow, indications, readAccessibleIndication } from './indication.ts';

/**
 * Indicates the driver who is responsible for a violation and emits
 * `traffic-violation.indication.created` (specification, States and transitions,
 * indication). Flow `form` also creates a document to sign.
 *
 * @throws HttpError 404 without the violation, 403 while its user's link is inactive, 409 while another indication
 *   is pending, 422 when the violation allows no indication.
 */
export async function createIndication(
  change: Change,
  violationId: number,
  request: NewIndication,
  signing: Signing,
) {
  const violation = await readAccessibleViolation(change.transaction, change.organization, violationId);
  await requireNoPendingIndication(change, violationId);
  const refusal = indicationUnavailableReason(violation, change.today);
  if (refusal !== null) throw new HttpError(422, refusal);

  const { flow, tax_id, name, email, phone, requester_email, requester_phone, vars, documents } = request;
  const id = await insert(change, violationId, {
    ...definedOnly({ name, email, phone, requester_email, requester_phone }),
    ...(flow === 'form' && formColumns(request)),
    tax_id,
    flow,
    external: 0,
    vars: vars === undefined ? null : JSON.stringify(vars),
    documents: documents === undefined ? null : JSON.stringify(documents),
  });
  if (flow === 'form') await addSigningDocument(change, { id, ait: violation.ait, request }, signing);
  await scheduleStep(change, 'indication', id, 'driver answers');
  return emitIndication(change, 'traffic-violation.indication.created', id);
}

/**
 * Adds an indication that was made outside the provider, which only observes its status.
 *
 * @throws HttpError 404 without the violation, 409 while another indication is pending.
 */
export async function observeIndication(
  change: Change,
  violationId: number,
  driver: { readonly tax_id: string; readonly name?: string },
) {
  await trafficViolations.row(change.transaction, change.organization, violationId);
  await requireNoPendingIndication(change, violationId);
  const id = await insert(change, violationId, { ...driver, flow: 'automated', external: 1 });
  await scheduleStep(change, 'indication', id, 'driver answers');
  return emitIndication(change, 'traffic-violation.indication.created', id);
}

/** The columns that only flow `form` has. */
function formColumns({ license, id_number, id_issuer, transfer }: NewIndication) {
  return {
    ...definedOnly({ license, id_number, id_issuer }),
    transfer: transfer === true ? (1 as const) : (0 as const),
  };
}

async function requireNoPendingIndication({ transaction }: Change, violationId: number): Promise<void> {
  const pending = await transaction
    .selectFrom('traffic_violation_indications')
    .select('id')
    .where('traffic_violation_id', '=', violationId)
    .where('status', '=', 'pending')
    .executeTakeFirst();
  if (pending !== undefined)
    throw new HttpError(409, `Traffic violation with id ${String(violationId)} has a pending indication`);
}

type Columns = Omit<
  Insertable<ProviderTables['traffic_violation_indications']>,
  'id' | 'organization_id' | 'traffic_violation_id' | 'status' | 'created_at' | 'updated_at'
>;

async function insert(
  { transaction, organization, at }: Change,
  violationId: number,
  columns: Columns,
): Promise<number> {
  const { id } = await transaction
    .insertInto('traffic_violation_indications')
    .values({
      ...columns,
      organization_id: organization,
      traffic_violation_id: violationId,
      status: 'pending',
      created_at: at,
      updated_at: at,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** Status changes by the driver, the agency or the deadline. {@link cancelIndication} and signing are separate. */
export type IndicationMove = 'accepted' | 'filed' | 'expired' | 'rejected' | 'failed' | 'voided';

const afterReview: readonly IndicationMove[] = ['accepted', 'filed', 'failed', 'voided'];

/** Allowed status changes. The specification lists few of the transitions. */
const nextStatuses: Readonly<Record<IndicationStatus, readonly IndicationMove[]>> = {
  pending: [...afterReview, 'expired', 'rejected'],
  review: afterReview,
  accepted: ['filed', 'failed', 'voided'],
  filed: ['accepted', 'failed', 'voided'],
  expired: [],
  rejected: [],
  failed: [],
  voided: [],
  canceled: [],
};

/**
 * Changes the status of an indication and emits
 * `traffic-violation.indication.updated`. Closes a document that is not fully
 * signed.
 *
 * @param reason the new `status_reason`.
 * @throws HttpError 404 without the indication, 409 when its status does not allow the next one.
 */
export async function moveIndication(
  change: Change,
  id: number,
  status: IndicationMove,
  reason: string | null = null,
) {
  const indication = await indications.row(change.transaction, change.organization, id);
  const { status: from } = indication;
  checkTransition('An indication', { from, to: status }, { [from]: allowedMoves(indication) });
  await closeDocument(change, indication, status === 'expired' ? 'expired' : 'canceled');
  return updateIndication(change, id, { status, status_reason: reason });
}

/**
 * Cancels a pending indication and its unsigned document (specification, States
 * and transitions).
 *
 * @throws HttpError 404 without the indication, 403 while the user's link is inactive, 409 when the indication is
 *   not pending or was made outside the provider.
 */
export async function cancelIndication(
  change: Change,
  ids: { readonly id: number; readonly indicationId: number },
): Promise<void> {
  const indication = await readAccessibleIndication(change.transaction, change.organization, ids);
  if (indication.status !== 'pending')
    throw new HttpError(409, `The indication is ${indication.status}: only a pending one can be canceled`);
  if (indication.external === 1)
    throw new HttpError(409, 'The indication was made outside the provider and is only observed');
  await closeDocument(change, indication, 'canceled');
  await updateIndication(change, indication.id, { status: 'canceled', status_reason: null });
}

/** A pending indication with a document must be signed before it can be accepted or filed. */
function allowedMoves({ status, flow, external }: IndicationRow): readonly IndicationMove[] {
  const moves = nextStatuses[status];
  if (status !== 'pending' || flow !== 'form' || external === 1) return moves;
  return moves.filter((move) => move !== 'accepted' && move !== 'filed');
}

async function closeDocument(
  change: Change,
  { document_id, document_status }: IndicationRow,
  status: Extract<DocumentStatus, 'expired' | 'canceled'>,
): Promise<void> {
  if (document_id === null || document_status !== 'pending') return;
  await change.transaction
    .updateTable('signing_documents')
    .set({ status })
    .where('id', '=', document_id)
    .execute();
  const description = status === 'expired' ? 'Prazo de assinatura encerrado' : 'Documento cancelado';
  await recordDocumentEvent(change, document_id, status, description);
}

export type IndicationRule = Omit<Insertable<ProviderTables['indication_rules']>, 'organization_id'>;

/** Sets the label that the organization's indications with a status have, existing ones included. */
export async function setIndicationRule(
  { transaction, organization }: Change,
  { status, label, description }: IndicationRule,
): Promise<void> {
  await transaction
    .insertInto('indication_rules')
    .values({ organization_id: organization, status, label, description })
    .onConflict((conflict) =>
      conflict.columns(['organization_id', 'status']).doUpdateSet({ label, description }),
    )
    .execute();
}

/** Emits a webhook with the current record of an indication. */
async function emitIndication(
  change: Change,
  event: 'traffic-violation.indication.created' | 'traffic-violation.indication.updated',
  id: number,
) {
  const { transaction, organization } = change;
  const row = await indications.row(transaction, organization, id);
  const { user_id } = await trafficViolations.row(transaction, organization, row.traffic_violation_id);
  const indication = indications.json(row, 'webhook');
  await recordChange(change, event, indication, user_id);
  return indication;
}

/** Updates an indication and its `updated_at`, and emits `traffic-violation.indication.updated`. */
export async function updateIndication(
  change: Change,
  id: number,
  values: Updateable<ProviderTables['traffic_violation_indications']>,
) {
  await change.transaction
    .updateTable('traffic_violation_indications')
    .set({ ...values, updated_at: change.at })
    .where('id', '=', id)
    .where('organization_id', '=', change.organization)
    .execute();
  return emitIndication(change, 'traffic-violation.indication.updated', id);
}
