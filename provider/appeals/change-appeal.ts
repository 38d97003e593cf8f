import type { Insertable } from 'kysely';
import { legalInstances } from '../../src/contract/record/appeal.ts';
import type { Change } from '../change.ts';
import { notFound } from '../http/refusal.ts';
import { readTrafficViolation } from '../traffic-violations/read-traffic-violation.ts';
import type { AppealTables, LegalInstance, AppealStatus } from './appeal-tables.ts';
import { readAppeal } from './read-appeal.ts';
import { refuseMove } from '../http/refuse-move.ts';

export type NewAppeal = Pick<
  Insertable<AppealTables['appeals']>,
  'user_id' | 'reference_object_id' | 'reference_object_type'
>;

/**
 * Hands in an appeal of a driver, before the instance whose turn it is. It is
 * `pending` (specification, States and transitions); no event tells of it.
 *
 * @throws Refusal 404 without the driver or the traffic violation; there are no procedures here to look for.
 */
export async function addAppeal(change: Change, appeal: NewAppeal) {
  const { transaction, organization, at } = change;
  await requireDriver(change, appeal.user_id);
  if (appeal.reference_object_type === 'traffic_ticket')
    await readTrafficViolation(transaction, organization, appeal.reference_object_id);
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
  return readAppeal(transaction, organization, id);
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

/** Each instance that rejects leaves the case to the one above it. */
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
  const tried = rejected.map(({ legal_instance }) => legal_instance);
  return legalInstances.find((instance) => !tried.includes(instance)) ?? 'cetran';
}

/** What can become of an appeal (the specification shows no move): it is decided, or put off and decided later. */
const nextStatuses: Readonly<Record<AppealStatus, readonly AppealStatus[]>> = {
  pending: ['accepted', 'rejected', 'deferred'],
  deferred: ['accepted', 'rejected'],
  accepted: [],
  rejected: [],
};

/**
 * Decides an appeal as its instance does. No endpoint does this, and no event tells of it.
 *
 * @throws Refusal 404, 409 when it is decided already.
 */
export async function decideAppeal(
  { transaction, organization, at }: Change,
  id: number,
  status: AppealStatus,
) {
  const appeal = await readAppeal(transaction, organization, id);
  refuseMove('An appeal', { from: appeal.status, to: status }, nextStatuses);
  await transaction.updateTable('appeals').set({ status, updated_at: at }).where('id', '=', id).execute();
  return readAppeal(transaction, organization, id);
}
