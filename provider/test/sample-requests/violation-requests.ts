import { form } from '../kit/indication-setup.ts';
import { missing, noTicket, noViolation, type SampleRequest, type SampleRequests } from './sample-request.ts';

const ofViolation: SampleRequest = async (setup) => ({ id: await setup.violation() });
const withTicket: SampleRequest = async (setup) => {
  const id = await setup.violation();
  await setup.posted(`/v1/traffic-violations/${String(id)}/tickets`);
  return { id };
};
const ofInactive: SampleRequest = async (setup) => ({ id: (await setup.ofInactiveUser()).id });
const noLabelOnly: SampleRequest = async () => ({ id: 77, label: 'Infração não encontrada', message: null });
const noFile = 'Not Available';

const withIndication =
  (body?: object): SampleRequest =>
  async (setup) => {
    const [, id, indicationId] =
      /violations\/(\d+)\/indications\/(\d+)/.exec(await setup.indication(body)) ?? [];
    return { id: String(id), indicationId: Number(indicationId) };
  };
const indicationOfInactive: SampleRequest = async (setup) => {
  const { id, indication } = await setup.ofInactiveUser();
  return { id, indicationId: indication };
};
const noIndication = missing('Indication or traffic violation not found', { indicationId: 77 });

/** Sample requests of traffic violations, their indications and payment slips. */
export const violationRequests: SampleRequests = {
  'get /v1/traffic-violations': {
    200: async (setup) => {
      await setup.violation();
      return {};
    },
  },
  'get /v1/traffic-violations/{id}': { 200: ofViolation, 404: noLabelOnly },
  'get /v1/traffic-violations/{id}/violation-notice': {
    200: ofViolation,
    404: async (setup) => ({ id: await setup.violation({ violation_notice_date: null }), label: noFile }),
  },
  'get /v1/traffic-violations/{id}/penalty-notice': {
    200: async (setup) => ({ id: await setup.violation({ penalty_notice_date: '2026-03-09' }) }),
    404: async (setup) => ({ id: await setup.violation(), label: noFile }),
  },
  'get /v1/traffic-violations/{id}/tickets': { 200: withTicket, 403: ofInactive, 404: noViolation() },
  'post /v1/traffic-violations/{id}/tickets': {
    201: async (setup) => ({ id: await setup.violation(), body: { discount: 'full' } }),
    403: ofInactive,
    404: noViolation(),
    409: withTicket,
    422: async (setup) => ({ id: await setup.violation({ payable: 0 }) }),
  },
  'get /v1/traffic-violations/tickets': {
    200: async (setup) => {
      await setup.ticket();
      return {};
    },
  },
  'get /v1/traffic-violations/tickets/{id}': {
    200: async (setup) => ({ id: await setup.ticket() }),
    403: async (setup) => ({ id: (await setup.ofInactiveUser()).ticket }),
    404: noTicket,
  },
  'get /v1/traffic-violations/tickets/{id}/file': {
    200: async (setup) => ({ id: await setup.issuedTicket() }),
    403: async (setup) => ({ id: (await setup.ofInactiveUser()).ticket }),
    404: async (setup) => ({ id: await setup.ticket(), label: noFile }),
  },
  'get /v1/traffic-violations/{id}/indications': {
    200: withIndication(),
    403: ofInactive,
    404: noViolation(),
  },
  'get /v1/traffic-violations/{id}/indications/{indicationId}': {
    200: withIndication(),
    403: indicationOfInactive,
    404: noIndication,
  },
  'post /v1/traffic-violations/{id}/indications': {
    201: async (setup) => ({ id: await setup.violation(), body: { ...form, vars: { frota: 412 } } }),
    403: async (setup) => ({ ...(await ofInactive(setup)), body: { tax_id: setup.cpf() } }),
    404: noViolation({ body: { tax_id: '52998224725' } }),
    409: async (setup) => ({ ...(await withIndication()(setup)), body: { tax_id: setup.cpf() } }),
    422: async (setup) => ({
      id: await setup.violation({ indication_deadline: '2026-03-09' }),
      body: { tax_id: setup.cpf() },
    }),
  },
  'post /v1/traffic-violations/{id}/indications/{indicationId}/cancel': {
    204: withIndication(form),
    403: indicationOfInactive,
    404: noIndication,
    409: async (setup) => {
      const path = await setup.indication();
      await setup.ours.post(`${path}/cancel`);
      const [, id, indicationId] = /(\d+)\/indications\/(\d+)/.exec(path) ?? [];
      return { id: String(id), indicationId: Number(indicationId) };
    },
  },
  'get /v1/traffic-violations/{id}/indications/{indicationId}/document': {
    200: withIndication(form),
    403: indicationOfInactive,
    404: async (setup) => ({
      ...(await withIndication()(setup)),
      message: 'No signing document found for this indication',
    }),
  },
};
