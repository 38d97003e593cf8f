import type { Kysely } from 'kysely';
import type { Condition } from '../../src/contract/api/filter.ts';
import type { ProviderTables } from '../database/provider-tables.ts';
import { matching } from '../list/matching.ts';

const violationColumns = {
  date: 'antt_violations.date',
  due_date: 'antt_violations.due_date',
  penalty_notice_date: 'antt_violations.penalty_notice_date',
  status: 'antt_violations.status',
  type: 'antt_violations.type',
  license_plate: 'antt_violations.license_plate',
  'company.external_uid': 'companies.external_uid',
  'company.id': 'antt_violations.company_id',
  'company.tax_id': 'companies.tax_id',
};

const ticketColumns = {
  status: 'antt_violation_tickets.status',
  due_date: 'antt_violation_tickets.due_date',
  'company.external_uid': 'companies.external_uid',
};

/** Joins that nothing asks for would cost a look-up for each record. */
const needsCompany = (conditions: readonly Condition[]) =>
  conditions.some(({ field }) => field === 'company.external_uid' || field === 'company.tax_id');

/** Selects the ids of the matching violations. */
export function listAnttViolationIds(
  query: Kysely<ProviderTables>,
  organization: number,
  conditions: readonly Condition[],
) {
  const withCompany = needsCompany(conditions);
  return {
    ids: query
      .selectFrom('antt_violations')
      .$if(withCompany, (some) => some.leftJoin('companies', 'companies.id', 'antt_violations.company_id'))
      .select('antt_violations.id')
      .where('antt_violations.organization_id', '=', organization)
      .where(matching(conditions, violationColumns)),
  };
}

/** Selects the ids of the matching payment slips. */
export function listAnttTicketIds(
  query: Kysely<ProviderTables>,
  organization: number,
  conditions: readonly Condition[],
) {
  const withCompany = needsCompany(conditions);
  return {
    ids: query
      .selectFrom('antt_violation_tickets')
      .$if(withCompany, (some) =>
        some
          .innerJoin('antt_violations', 'antt_violations.id', 'antt_violation_tickets.antt_violation_id')
          .leftJoin('companies', 'companies.id', 'antt_violations.company_id'),
      )
      .select('antt_violation_tickets.id')
      .where('antt_violation_tickets.organization_id', '=', organization)
      .where(matching(conditions, ticketColumns)),
  };
}
