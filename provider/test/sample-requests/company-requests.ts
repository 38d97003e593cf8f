import { certificate } from '../record-fixtures.ts';
import { noCompany, type SampleRequest, type SampleRequests } from './sample-request.ts';

const CERTIFICATE_OVER_MS = 2 * 366 * 86_400_000;

const ofCompany: SampleRequest = async (w) => ({ id: await w.company() });
const noImport: SampleRequest = async (w) => {
  const id = await w.company();
  return { id, message: `No active sync for company ${String(id)}` };
};

export const companyRequests: SampleRequests = {
  'get /v1/companies': {
    200: async (w) => {
      await w.company();
      return {};
    },
  },
  'get /v1/companies/{id}': { 200: ofCompany, 404: noCompany() },
  'post /v1/companies': {
    201: async (w) => ({ body: { name: 'A', tax_id: w.cnpj(), external_uid: 'a', login_username: w.cpf() } }),
    400: async () => ({ body: { name: 'A', tax_id: '11222333000182' } }),
    409: async (w) => {
      const tax_id = w.cnpj();
      await w.company({ tax_id });
      return { body: { name: 'A', tax_id } };
    },
  },
  'put /v1/companies/{id}': {
    200: async (w) => ({ id: await w.company(), body: { external_uid: 'b' } }),
    400: async (w) => ({ id: await w.company(), body: {} }),
    404: noCompany({ body: { name: 'B' } }),
  },
  'post /v1/companies/{id}/sne': {
    201: async (w) => ({ id: await w.withLogin('company') }),
    404: noCompany(),
    409: async (w) => ({ id: await w.registered('company') }),
    422: ofCompany,
  },
  'delete /v1/companies/{id}/sne': {
    200: async (w) => ({ id: await w.registered('company') }),
    404: noCompany(),
    422: async (w) => ({ id: await w.withLogin('company') }),
  },
  'post /v1/companies/{id}/certificate': {
    200: async (w) => ({ id: await w.company(), body: certificate }),
    400: async (w) => ({ id: await w.company(), body: { ...certificate, password: 'another' } }),
    404: noCompany({ body: certificate }),
    422: async (w) => {
      const id = await w.company();
      w.clock.advance(CERTIFICATE_OVER_MS);
      return { id, body: certificate };
    },
  },
  'delete /v1/companies/{id}/certificate': {
    200: async (w) => ({ id: await w.withCertificate() }),
    404: noCompany(),
    422: ofCompany,
  },
  'get /v1/companies/{id}/sync/stream': {
    200: async (w) => ({ id: await w.importing() }),
    404: noImport,
  },
  'get /v1/companies/{id}/sync/snapshot': {
    200: async (w) => ({ id: await w.importing() }),
    404: noImport,
  },
};
