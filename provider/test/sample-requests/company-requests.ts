import { certificate } from '../kit/record-fixtures.ts';
import { noCompany, type SampleRequest, type SampleRequests } from './sample-request.ts';

const CERTIFICATE_OVER_MS = 2 * 366 * 86_400_000;

const ofCompany: SampleRequest = async (setup) => ({ id: await setup.company() });
const noImport: SampleRequest = async (setup) => {
  const id = await setup.company();
  return { id, message: `No active sync for company ${String(id)}` };
};

export const companyRequests: SampleRequests = {
  'get /v1/companies': {
    200: async (setup) => {
      await setup.company();
      return {};
    },
  },
  'get /v1/companies/{id}': { 200: ofCompany, 404: noCompany() },
  'post /v1/companies': {
    201: async (setup) => ({
      body: { name: 'A', tax_id: setup.cnpj(), external_uid: 'a', login_username: setup.cpf() },
    }),
    400: async () => ({ body: { name: 'A', tax_id: '11222333000182' } }),
    409: async (setup) => {
      const tax_id = setup.cnpj();
      await setup.company({ tax_id });
      return { body: { name: 'A', tax_id } };
    },
  },
  'put /v1/companies/{id}': {
    200: async (setup) => ({ id: await setup.company(), body: { external_uid: 'b' } }),
    400: async (setup) => ({ id: await setup.company(), body: {} }),
    404: noCompany({ body: { name: 'B' } }),
  },
  'post /v1/companies/{id}/sne': {
    201: async (setup) => ({ id: await setup.withLogin('company') }),
    404: noCompany(),
    409: async (setup) => ({ id: await setup.registered('company') }),
    422: ofCompany,
  },
  'delete /v1/companies/{id}/sne': {
    200: async (setup) => ({ id: await setup.registered('company') }),
    404: noCompany(),
    422: async (setup) => ({ id: await setup.withLogin('company') }),
  },
  'post /v1/companies/{id}/certificate': {
    200: async (setup) => ({ id: await setup.company(), body: certificate }),
    400: async (setup) => ({ id: await setup.company(), body: { ...certificate, password: 'another' } }),
    404: noCompany({ body: certificate }),
    422: async (setup) => {
      const id = await setup.company();
      setup.clock.advance(CERTIFICATE_OVER_MS);
      return { id, body: certificate };
    },
  },
  'delete /v1/companies/{id}/certificate': {
    200: async (setup) => ({ id: await setup.withCertificate() }),
    404: noCompany(),
    422: ofCompany,
  },
  'get /v1/companies/{id}/sync/stream': {
    200: async (setup) => ({ id: await setup.importing() }),
    404: noImport,
  },
  'get /v1/companies/{id}/sync/snapshot': {
    200: async (setup) => ({ id: await setup.importing() }),
    404: noImport,
  },
};
