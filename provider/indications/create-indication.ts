import type { Insertable } from 'kysely';
import type { NewIndication } from '../../src/contract/api/indication-endpoints.ts';
import type { Change } from '../change.ts';
import { definedOnly } from '../http/defined-only.ts';
import { Refusal } from '../http/refusal.ts';
import { scheduleStep } from '../scenario/schedule-step.ts';
import { readAccessibleViolation } from '../traffic-violations/accessible-violation.ts';
import { whyNoIndication } from '../traffic-violations/indication-window.ts';
import { readTrafficViolation } from '../traffic-violations/read-traffic-violation.ts';
import { addSigningDocument, type Signing } from './add-signing-document.ts';
import type { IndicationTables } from './indication-tables.ts';
import { tellIndication } from './tell-indication.ts';

/**
 * Indicates the driver who answers for a violation, with a document to sign in
 * flow `form`, and tells `traffic-violation.indication.created` (specification,
 * States and transitions, indication).
 *
 * @throws Refusal 404, 403 while the user's link is inactive, 409 while another one is pending, 422 when the
 *   violation takes none (any more).
 */
export async function createIndication(
  change: Change,
  violationId: number,
  given: NewIndication,
  signing: Signing,
) {
  const violation = await readAccessibleViolation(change.transaction, change.organization, violationId);
  await refuseSecond(change, violationId);
  const refusal = whyNoIndication(violation, change.today);
  if (refusal !== null) throw new Refusal(422, refusal);

  const { flow, tax_id, name, email, phone, requester_email, requester_phone, vars, documents } = given;
  const id = await insert(change, violationId, {
    ...definedOnly({ name, email, phone, requester_email, requester_phone }),
    ...(flow === 'form' && formColumns(given)),
    tax_id,
    flow,
    external: 0,
    vars: vars === undefined ? null : JSON.stringify(vars),
    documents: documents === undefined ? null : JSON.stringify(documents),
  });
  if (flow === 'form') await addSigningDocument(change, { id, ait: violation.ait, given }, signing);
  await scheduleStep(change, 'indication', id, 'driver answers');
  return tellIndication(change, 'traffic-violation.indication.created', id);
}

/** An indication that was made outside the provider, which only watches it. @throws Refusal 404, 409 */
export async function observeIndication(
  change: Change,
  violationId: number,
  driver: { readonly tax_id: string; readonly name?: string },
) {
  await readTrafficViolation(change.transaction, change.organization, violationId);
  await refuseSecond(change, violationId);
  const id = await insert(change, violationId, { ...driver, flow: 'automated', external: 1 });
  await scheduleStep(change, 'indication', id, 'driver answers');
  return tellIndication(change, 'traffic-violation.indication.created', id);
}

/** What only flow `form` has. */
function formColumns({ license, id_number, id_issuer, transfer }: NewIndication) {
  return {
    ...definedOnly({ license, id_number, id_issuer }),
    transfer: transfer === true ? (1 as const) : (0 as const),
  };
}

async function refuseSecond({ transaction }: Change, violationId: number): Promise<void> {
  const pending = await transaction
    .selectFrom('traffic_violation_indications')
    .select('id')
    .where('traffic_violation_id', '=', violationId)
    .where('status', '=', 'pending')
    .executeTakeFirst();
  if (pending !== undefined)
    throw new Refusal(409, `Traffic violation with id ${String(violationId)} has a pending indication`);
}

type Columns = Omit<
  Insertable<IndicationTables['traffic_violation_indications']>,
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
