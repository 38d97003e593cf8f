/** The routes of companies, with their certificates, SNE registrations and first imports. */
import { briefCompany, companyEndpoints } from '../../src/contract/api/company-endpoints.ts';
import { definedOnly } from '../http/defined-only.ts';
import { route } from '../http/route.ts';
import type { Provider } from '../provider.ts';
import { cancelSne, signUpForSne } from '../sne/change-sne.ts';
import { type CompanyImport, companyImports, importSnapshot } from '../sync/company-imports.ts';
import { streamImport } from '../sync/stream-import.ts';
import { removeCertificate, storeCertificate } from './change-certificate.ts';
import { addCompany, changeCompany } from './change-company.ts';
import { companies } from './company.ts';

/** The routes of companies (specification, Endpoints, Companies). */
export const companyRoutes = [
  route(companyEndpoints.list, (request, { query }) => companies.page(query, request)),
  route(companyEndpoints.read, async ({ organization, params }, { query }) => ({
    data: await companies.read(query, organization, params.id),
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
  route(companyEndpoints.sne.signUp, ({ organization, params: { id } }, provider) =>
    provider.change(organization, async (change) => {
      await companies.read(change.transaction, organization, id);
      const data = await signUpForSne(change, 'company', id);
      await changeCompany(change, id, {}, 'company.sne.updated');
      return { data };
    }),
  ),
  route(companyEndpoints.sne.cancel, ({ organization, params: { id } }, provider) =>
    provider.change(organization, async (change) => {
      await companies.read(change.transaction, organization, id);
      const data = await cancelSne(change, 'company', id);
      await changeCompany(change, id, {}, 'company.sne.updated');
      return { data };
    }),
  ),
  route(companyEndpoints.certificate.store, async ({ organization, params, body }, provider) => {
    const { certificate } = await storeCertificate(provider, {
      organization,
      id: params.id,
      file: body.certificate,
      password: body.password,
    });
    return { data: certificate ?? {} };
  }),
  route(companyEndpoints.certificate.remove, async ({ organization, params }, provider) => {
    await provider.change(organization, (change) => removeCertificate(change, params.id));
    return { data: { status: 'not_provided' as const } };
  }),
  route(companyEndpoints.sync.stream, async ({ organization, params }, provider, c) =>
    streamImport(c, provider, await runningImport(provider, organization, params.id)),
  ),
  route(companyEndpoints.sync.read, async ({ organization, params }, provider) => ({
    data: importSnapshot(await runningImport(provider, organization, params.id)),
  })),
];

/** @throws HttpError 404 when there is no such company, or no import of it is running. */
async function runningImport({ query }: Provider, organization: number, id: number): Promise<CompanyImport> {
  await companies.read(query, organization, id);
  const row = await companyImports.row(query, organization, id);
  if (row.outcome !== null) throw companyImports.missing(id);
  return row;
}
