/** Changes appeals. */
import type { Insertable } from 'kysely';
import { legalInstances } from '../../src/contract/record/appeal.ts';
import type { Change } from '../change.ts';
import type { ProviderTables } from '../database/provider-tables.ts';
import { checkTransition } from '../http/check-transition.ts';
import { notFound } from '../http/http-error.ts';
import { trafficViolations } from '../traffic-violations/traffic-violation.ts';
import { appeals, type AppealStatus, type LegalInstance } from './appeal.ts';

export type NewAppeal = Pick<
  Insertable<ProviderTables['appeals']>,
  'user_id' | 'reference_object_id' | 'reference_object_type'
>;

/**
 * Submits an appeal of a driver to the next legal instance. The appeal starts as
 * `pending` (specification, States and transitions) and emits no webhook.
 *
 * @throws HttpError 404 without the driver or the traffic violation. Procedures are not checked: the provider has none.
 */
export async function addAppeal(change: Change, appeal: NewAppeal) {
  const { transaction, organization, at } = change;
  await requireDriver(change, appeal.user_id);
  if (appeal.reference_object_type === 'traffic_ticket')
    await trafficViolations.row(transaction, organization, appeal.reference_object_id);
  const { id } = await transaction
    .insertInto('appeals')
    .values({
      ...appeal,
      organization_id: organization,
      legal_instance: await nextInstance(change, appeal),
      status: 'pending',
      submitted_at: at,
      created_at: at,
      updated_at: at,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return appeals.read(transaction, organization, id);
}

async function requireDriver({ transaction, organization }: Change, id: number): Promise<void> {
  const driver = await transaction
    .selectFrom('drivers')
    .select('id')
    .where('id', '=', id)
    .where('organization_id', '=', organization)
    .executeTakeFirst();
  if (driver === undefined) throw notFound('Driver', id);
}

/** Returns the first instance that has not rejected the case, or the last one. */
async function nextInstance(
  { transaction, organization }: Change,
  { reference_object_id, reference_object_type }: NewAppeal,
): Promise<LegalInstance> {
  const rejected = await transaction
    .selectFrom('appeals')
    .select('legal_instance')
    .where('organization_id', '=', organization)
    .where('reference_object_type', '=', reference_object_type)
    .where('reference_object_id', '=', reference_object_id)
    .where('status', '=', 'rejected')
    .execute();
  const exhausted = rejected.map(({ legal_instance }) => legal_instance);
  return legalInstances.find((instance) => !exhausted.includes(instance)) ?? 'cetran';
}

/** Allowed status changes. The specification lists the statuses but not the transitions. */
const nextStatuses: Readonly<Record<AppealStatus, readonly AppealStatus[]>> = {
  pending: ['accepted', 'rejected', 'deferred'],
  deferred: ['accepted', 'rejected'],
  accepted: [],
  rejected: [],
};

/**
 * Decides or defers an appeal, as its legal instance does. No endpoint does this, and it emits no webhook.
 *
 * @throws HttpError 404 without the appeal, 409 when it is decided already.
 */
export async function decideAppeal(
  { transaction, organization, at }: Change,
  id: number,
  status: AppealStatus,
) {
  const appeal = await appeals.read(transaction, organization, id);
  checkTransition('An appeal', { from: appeal.status, to: status }, nextStatuses);
  await transaction.updateTable('appeals').set({ status, updated_at: at }).where('id', '=', id).execute();
  return appeals.read(transaction, organization, id);
}
