/** The routes of companies, with their certificates, SNE registrations and first imports. */
import { briefCompany, companyEndpoints } from '../../src/contract/api/company-endpoints.ts';
import { HttpError } from '../http/http-error.ts';
import { route } from '../http/route.ts';
import { matching } from '../list/matching.ts';
import { readPage } from '../list/read-page.ts';
import { definedOnly } from '../http/defined-only.ts';
import { cancelSne, signUpForSne } from '../sne/change-sne.ts';
import type { Provider } from '../provider.ts';
import { importSnapshot, readImport, type CompanyImport } from '../sync/read-import.ts';
import { streamImport } from '../sync/stream-import.ts';
import { removeCertificate, storeCertificate } from './change-certificate.ts';
import { addCompany, changeCompany } from './change-company.ts';
import { readCompanies, readCompany, selectCompanies } from './read-company.ts';

const columns = {
  name: 'companies.name',
  tax_id: 'companies.tax_id',
  'sne.status': 'sne_registrations.status',
  'certificate.status': 'companies.certificate_status',
  external_uid: 'companies.external_uid',
};

/** The routes of companies (specification, Endpoints, Companies). */
export const companyRoutes = [
  route(companyEndpoints.list, ({ organization, conditions, page }, { query }) =>
    readPage(
      query,
      {
        ids: selectCompanies(query, organization).select('companies.id').where(matching(conditions, columns)),
        rows: (ids) => readCompanies(query, organization, ids),
      },
      page,
    ),
  ),
  route(companyEndpoints.read, async ({ organization, params }, { query }) => ({
    data: await readCompany(query, organization, params.id),
  })),
  route(companyEndpoints.create, async ({ organization, body }, provider) => ({
    data: briefCompany.parse(
      await provider.change(organization, (change) => addCompany(change, definedOnly(body))),
    ),
  })),
  route(companyEndpoints.update, async ({ organization, params, body }, provider) => ({
    data: briefCompany.parse(
      await provider.change(organization, (change) =>
        changeCompany(change, params.id, definedOnly(body), 'company.updated'),
      ),
    ),
  })),
  route(companyEndpoints.signUpForSne, ({ organization, params: { id } }, provider) =>
    provider.change(organization, async (change) => {
      await readCompany(change.transaction, organization, id);
      const data = await signUpForSne(change, 'company', id);
      await changeCompany(change, id, {}, 'company.sne.updated');
      return { data };
    }),
  ),
  route(companyEndpoints.cancelSne, ({ organization, params: { id } }, provider) =>
    provider.change(organization, async (change) => {
      await readCompany(change.transaction, organization, id);
      const data = await cancelSne(change, 'company', id);
      await changeCompany(change, id, {}, 'company.sne.updated');
      return { data };
    }),
  ),
  route(companyEndpoints.storeCertificate, async ({ organization, params, body }, provider) => {
    const { certificate } = await storeCertificate(provider, {
      organization,
      id: params.id,
      file: body.certificate,
      password: body.password,
    });
    return { data: certificate ?? {} };
  }),
  route(companyEndpoints.removeCertificate, async ({ organization, params }, provider) => {
    await provider.change(organization, (change) => removeCertificate(change, params.id));
    return { data: { status: 'not_provided' as const } };
  }),
  route(companyEndpoints.streamSync, async ({ organization, params }, provider, c) =>
    streamImport(c, provider, await runningImport(provider, organization, params.id)),
  ),
  route(companyEndpoints.readSync, async ({ organization, params }, provider) => ({
    data: importSnapshot(await runningImport(provider, organization, params.id)),
  })),
];

/** @throws HttpError 404 when there is no such company, or no import of it is running. */
async function runningImport({ query }: Provider, organization: number, id: number): Promise<CompanyImport> {
  await readCompany(query, organization, id);
  const row = await readImport(query, organization, id);
  if (row === undefined || row.outcome !== null)
    throw new HttpError(404, `No active sync for company ${String(id)}`);
  return row;
}
