import type { Insertable } from 'kysely';
import type { Change } from '../change.ts';
import type { TrafficViolationTables } from './traffic-violation-tables.ts';

export type NewAgency = Omit<Insertable<TrafficViolationTables['agencies']>, 'organization_id'>;

/** An agency whose violations the organization has. Adding it again replaces what is known of it. */
export async function addAgency({ transaction, organization }: Change, agency: NewAgency): Promise<void> {
  const { code, ...known } = agency;
  await transaction
    .insertInto('agencies')
    .values({ ...agency, organization_id: organization })
    .onConflict((conflict) => conflict.columns(['organization_id', 'code']).doUpdateSet(known))
    .execute();
}
