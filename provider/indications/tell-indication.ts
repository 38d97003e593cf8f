import type { Updateable } from 'kysely';
import type { Change } from '../change.ts';
import { readTrafficViolation } from '../traffic-violations/read-traffic-violation.ts';
import { recordChange } from '../webhooks/record-change.ts';
import type { IndicationTables } from './indication-tables.ts';
import { indicationRecord, readIndication } from './read-indication.ts';

/** Tells an indication as it is now. */
export async function tellIndication(
  change: Change,
  event: 'traffic-violation.indication.created' | 'traffic-violation.indication.updated',
  id: number,
) {
  const { transaction, organization } = change;
  const row = await readIndication(transaction, organization, id);
  const { user_id } = await readTrafficViolation(transaction, organization, row.traffic_violation_id);
  const indication = indicationRecord(row);
  await recordChange(change, event, indication, user_id);
  return indication;
}

/** Changes columns of an indication, moves its `updated_at`, and tells `traffic-violation.indication.updated`. */
export async function updateIndication(
  change: Change,
  id: number,
  values: Updateable<IndicationTables['traffic_violation_indications']>,
) {
  await change.transaction
    .updateTable('traffic_violation_indications')
    .set({ ...values, updated_at: change.at })
    .where('id', '=', id)
    .where('organization_id', '=', change.organization)
    .execute();
  return tellIndication(change, 'traffic-violation.indication.updated', id);
}
