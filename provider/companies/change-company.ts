/** Changes companies. */
import type { Insertable, Updateable } from 'kysely';
import type { DataOf, EventKind } from '../../src/contract/catalogue.ts';
import type { Change } from '../change.ts';
import type { ProviderTables } from '../database/provider-tables.ts';
import { notFound, HttpError } from '../http/http-error.ts';
import { addLogin } from '../login/change-login.ts';
import { scheduleStep } from '../scenario/schedule-step.ts';
import { addSneRegistration } from '../sne/change-sne.ts';
import { recordChange } from '../webhooks/record-change.ts';
import { companies } from './company.ts';

/** The fields of a new company. All others start empty. */
export type NewCompany = Pick<Insertable<ProviderTables['companies']>, 'tax_id' | 'name'> &
  Partial<
    Pick<
      Insertable<ProviderTables['companies']>,
      'login_username' | 'external_uid' | 'address' | 'city' | 'state' | 'postal_code'
    >
  >;

/** Event kinds whose data is a whole company. */
type CompanyEvent = Extract<
  EventKind,
  'company.created' | 'company.updated' | 'company.certificate.updated' | 'company.sne.updated'
>;

/** Adds a company and records `company.created`. @throws HttpError 409 when the organization has one with that CNPJ. */
export async function addCompany(change: Change, company: NewCompany) {
  const { transaction, organization, at } = change;
  const added = await transaction
    .insertInto('companies')
    .values({
      organization_id: organization,
      ...company,
      certificate_status: 'not_provided',
      created_at: at,
      updated_at: at,
    })
    .onConflict((conflict) => conflict.columns(['organization_id', 'tax_id']).doNothing())
    .returning('id')
    .executeTakeFirst();
  if (added === undefined) throw new HttpError(409, `Company with tax_id ${company.tax_id} already exists`);
  await addLogin(change, 'company', added.id);
  await addSneRegistration(change, 'company', added.id);
  if (company.login_username != null) await scheduleStep(change, 'company-login', added.id, 'login starts');
  return recordCompany(change, 'company.created', added.id);
}

/**
 * Updates columns of a company, sets its `updated_at`, and records the event.
 *
 * @param event the most specific kind for the change.
 * @throws HttpError 404
 */
export async function changeCompany(
  change: Change,
  id: number,
  values: Updateable<ProviderTables['companies']>,
  event: CompanyEvent,
) {
  const { transaction, organization, at } = change;
  const { numUpdatedRows } = await transaction
    .updateTable('companies')
    .set({ ...values, updated_at: at })
    .where('id', '=', id)
    .where('organization_id', '=', organization)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw notFound('Company', id);
  if (values.login_username != null) await scheduleStep(change, 'company-login', id, 'login starts');
  return recordCompany(change, event, id);
}

async function recordCompany(change: Change, event: CompanyEvent, id: number): Promise<DataOf<CompanyEvent>> {
  const company = await companies.read(change.transaction, change.organization, id);
  await recordChange(change, event, company);
  return company;
}
