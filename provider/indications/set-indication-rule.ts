import type { Insertable } from 'kysely';
import type { Change } from '../change.ts';
import type { IndicationTables } from './indication-tables.ts';

export type IndicationRule = Omit<Insertable<IndicationTables['indication_rules']>, 'organization_id'>;

/** From now on the organization's indications with this status are shown with this label. */
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
