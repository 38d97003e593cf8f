import { addCharge } from '../../charges/change-charge.ts';
import {
  addAgency,
  addTrafficViolation,
  type NewTrafficViolation,
} from '../../traffic-violations/change-traffic-violation.ts';
import { company, user } from './people.ts';
import { openTestProvider } from './test-provider.ts';

export const agency = {
  code: '271070',
  name: 'Prefeitura de São Paulo',
  sne_indications: 1,
  sne_tickets: 1,
} as const;

/** A violation that on 2026-03-10 is payable, with both discounts, and allows an indication. */
export const speeding = {
  ait: '5A47210983',
  code: '7455',
  breakdown: '0',
  license_plate: 'BDT4F37',
  description: 'Transitar em velocidade superior à máxima permitida em até 20%',
  status: 'citation',
  payable: 1,
  renainf: 1,
  offender_type: 'driver',
  amount: 130.16,
  interest_amount: 0,
  correction_amount: 0,
  updated_amount: 130.16,
  amount_updated_at: '2026-03-06T05:00:00.000Z',
  // The evening of 2026-02-21 in Brazil.
  date: '2026-02-22T01:42:00.000Z',
  violation_notice_date: '2026-03-05',
  due_date: '2026-05-11',
  indication_deadline: '2026-04-06',
  preliminary_appeal_deadline: '2026-04-07',
  notice_appeal_deadline: '2026-05-11',
  location: 'Avenida Marginal Tietê, 4300, sentido Castelo Branco',
  city: 'São Paulo',
  state: 'SP',
  latitude: -23.5162,
  longitude: -46.6781,
  legal_basis: 'Art. 218, inc. I, CTB',
  severity: 'medium',
  multiplier: '1',
  points: '4',
} as const satisfies NewTrafficViolation;

/** Opens a provider in which company 1 and user 1 have violation 1. */
export async function openWithViolation(values: Partial<NewTrafficViolation> = {}) {
  const setup = await openTestProvider();
  const { ours, provider } = setup;
  await ours.post('/v1/companies', { ...company, external_uid: 'matriz' });
  await ours.post('/v1/users', { ...user, external_uid: 'motorista-1' });
  const add = (more: Partial<NewTrafficViolation> = {}) =>
    provider.change(ours.organization, async (change) => {
      await addAgency(change, agency);
      const owners = { company_id: 1, user_id: 1, agency_code: agency.code };
      return addTrafficViolation(change, { ...speeding, ...owners, ...values, ...more });
    });
  const { id } = await add();
  return {
    ...setup,
    add,
    id,
    path: `/v1/traffic-violations/${String(id)}`,
    recorded: async () => (await ours.webhooks()).filter(({ type }) => type.startsWith('traffic-violation.')),
  };
}

/** The same provider with charge 1, too. */
export async function openWithCharge() {
  const setup = await openWithViolation();
  await setup.provider.change(setup.ours.organization, (change) =>
    addCharge(change, {
      company_id: 1,
      type: 'fee',
      status: 'pending',
      amount: 92.41,
      due_date: '2026-03-31',
    }),
  );
  return setup;
}
