import {
  UNKNOWN_ID,
  noAnttViolation,
  noCharge,
  noTicket,
  type SampleRequest,
  type SampleRequests,
} from './sample-request.ts';

const ofAntt: SampleRequest = async (setup) => ({ id: await setup.antt() });
const anttSlip = async (setup: Parameters<SampleRequest>[0]) => {
  const id = await setup.antt();
  return { id, slip: await setup.posted(`/v1/antt/violations/${String(id)}/tickets`) };
};
const withAnttSlip: SampleRequest = async (setup) => ({ id: (await anttSlip(setup)).id });
const ofCharge: SampleRequest = async (setup) => ({ id: await setup.charge() });
const withChargeSlip: SampleRequest = async (setup) => {
  const id = await setup.charge();
  await setup.posted(`/v1/charges/${String(id)}/payment-slips`);
  return { id };
};
const withoutInput =
  (given: SampleRequest): SampleRequest =>
  async (setup) => {
    await given(setup);
    return {};
  };
const ofDriver: SampleRequest = async (setup) => ({ id: await setup.driver() });

/** Sample requests of ANTT violations and charges with their payment slips, driver licences and appeals. */
export const chargeRequests: SampleRequests = {
  'get /v1/antt/violations': { 200: withoutInput(ofAntt) },
  'get /v1/antt/violations/{id}': { 200: ofAntt, 404: noAnttViolation },
  'get /v1/antt/violations/{id}/tickets': { 200: withAnttSlip, 404: noAnttViolation },
  'post /v1/antt/violations/{id}/tickets': {
    201: ofAntt,
    404: noAnttViolation,
    409: withAnttSlip,
    422: async (setup) => ({ id: await setup.antt({ company_id: null }) }),
  },
  'get /v1/antt/violations/tickets': { 200: withoutInput(withAnttSlip) },
  'get /v1/antt/violations/tickets/{id}': {
    200: async (setup) => ({ id: (await anttSlip(setup)).slip }),
    404: noTicket,
  },
  'get /v1/charges': { 200: withoutInput(ofCharge) },
  'get /v1/charges/{id}': { 200: ofCharge, 404: noCharge },
  'get /v1/charges/{id}/payment-slips': { 200: withChargeSlip, 404: noCharge },
  'post /v1/charges/{id}/payment-slips': {
    201: ofCharge,
    404: noCharge,
    409: withChargeSlip,
    422: async (setup) => ({ id: await setup.charge({ status: 'paid' }) }),
  },
  'get /v1/charges/payment-slips': { 200: withoutInput(withChargeSlip) },
  'get /v1/driver-licenses': { 200: withoutInput(ofDriver) },
  'get /v1/driver-licenses/{id}': {
    200: ofDriver,
    404: async () => ({ id: UNKNOWN_ID, label: 'CNH não encontrada', message: null }),
  },
  'post /v1/drivers': {
    201: async (setup) => {
      const { data } = await setup.ours.get(`/v1/driver-licenses/${String(await setup.driver())}`);
      return { body: { tax_id: data['tax_id'] } };
    },
    400: async () => ({ body: { tax_id: '52998224724' }, label: 'CPF inválido' }),
    404: async (setup) => ({ body: { tax_id: setup.cpf() }, label: 'CNH não encontrada' }),
  },
  'get /v1/appeals': {
    200: async (setup) => {
      await setup.appeal();
      return {};
    },
  },
  'get /v1/appeals/{id}': {
    200: async (setup) => ({ id: await setup.appeal() }),
    404: async () => ({ id: UNKNOWN_ID }),
  },
  'post /v1/appeals': {
    200: async (setup) => ({
      body: { user_id: await setup.driver(), reference_object_id: 1, reference_object_type: 'procedure' },
    }),
    404: async () => ({
      body: { user_id: UNKNOWN_ID, reference_object_id: 1, reference_object_type: 'procedure' },
    }),
  },
};
