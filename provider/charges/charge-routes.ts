/** The routes of charges and their payment slips. */
import { chargeEndpoints, slipOfCharge } from '../../src/contract/api/charge-endpoints.ts';
import { route } from '../http/route.ts';
import { matching } from '../list/matching.ts';
import { readPage } from '../list/read-page.ts';
import { requestChargeSlip } from './change-charge-slip.ts';
import { readChargeSlips, readSlipsOfCharge, selectChargeSlips } from './read-charge-slip.ts';
import { readCharge, readCharges } from './read-charge.ts';

const chargeColumns = {
  date: 'charges.date',
  due_date: 'charges.due_date',
  status: 'charges.status',
  type: 'charges.type',
  agency: 'charges.agency',
  'company.external_uid': 'companies.external_uid',
};

const slipColumns = {
  status: 'charge_payment_slips.status',
  due_date: 'charge_payment_slips.due_date',
  agency: 'charges.agency',
};

/** The endpoints of charges and their payment slips (specification, Endpoints). */
export const chargeRoutes = [
  route(chargeEndpoints.listSlips, ({ organization, conditions, page }, { query }) =>
    readPage(
      query,
      {
        ids: selectChargeSlips(query, organization)
          .select('charge_payment_slips.id')
          .where(matching(conditions, slipColumns)),
        rows: (ids) => readChargeSlips(query, organization, ids),
      },
      page,
    ),
  ),
  route(chargeEndpoints.list, ({ organization, conditions, page }, { query }) => {
    // Joins companies only for filters that need them: the join costs a lookup per charge.
    const needsCompany = conditions.some(({ field }) => field.startsWith('company.'));
    const charges = query
      .selectFrom('charges')
      .$if(needsCompany, (some) => some.innerJoin('companies', 'companies.id', 'charges.company_id'))
      .select('charges.id')
      .where('charges.organization_id', '=', organization)
      .where(matching(conditions, chargeColumns));
    return readPage(
      query,
      {
        ids: charges,
        rows: (ids) => readCharges(query, organization, ids),
      },
      page,
    );
  }),
  route(chargeEndpoints.read, async ({ organization, params }, { query }) => ({
    data: await readCharge(query, organization, params.id),
  })),
  route(chargeEndpoints.listSlipsOfCharge, async ({ organization, params }, { query }) => {
    await readCharge(query, organization, params.id);
    const slips = await readSlipsOfCharge(query, organization, params.id);
    return { data: slips.map((slip) => slipOfCharge.parse(slip)) };
  }),
  route(chargeEndpoints.requestSlip, async ({ organization, params }, provider) => {
    const { id, status, due_date } = await provider.change(organization, (change) =>
      requestChargeSlip(change, params.id),
    );
    return { data: { id, status, due_date } };
  }),
];
