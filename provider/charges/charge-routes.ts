/** The routes of charges and their payment slips. */
import { chargeEndpoints, slipOfCharge } from '../../src/contract/api/charge-endpoints.ts';
import { route } from '../http/route.ts';
import { requestChargeSlip } from './change-charge.ts';
import { chargeSlips } from './charge-slip.ts';
import { charges } from './charge.ts';

/** The endpoints of charges and their payment slips (specification, Endpoints). */
export const chargeRoutes = [
  route(chargeEndpoints.paymentSlips.list, (request, { query }) => chargeSlips.page(query, request)),
  route(chargeEndpoints.list, (request, { query }) => charges.page(query, request)),
  route(chargeEndpoints.read, async ({ organization, params }, { query }) => ({
    data: await charges.read(query, organization, params.id),
  })),
  route(chargeEndpoints.paymentSlips.listOf, async ({ organization, params }, { query }) => {
    await charges.row(query, organization, params.id);
    const slips = await chargeSlips.of(query, organization, 'charge_id', params.id);
    return { data: slips.map((slip) => slipOfCharge.parse(slip)) };
  }),
  route(chargeEndpoints.paymentSlips.request, async ({ organization, params }, provider) => {
    const { id, status, due_date } = await provider.change(organization, (change) =>
      requestChargeSlip(change, params.id),
    );
    return { data: { id, status, due_date } };
  }),
];
