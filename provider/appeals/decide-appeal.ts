import type { Change } from '../change.ts';
import { refuseMove } from '../http/refuse-move.ts';
import type { AppealStatus } from './appeal-tables.ts';
import { readAppeal } from './read-appeal.ts';

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
