/** The routes of driver licences and drivers. */
import {
  driverLicenseDetail,
  driverLicenseEndpoints,
} from '../../src/contract/api/driver-license-endpoints.ts';
import { route } from '../http/route.ts';
import { readPage } from '../list/read-page.ts';
import { addDriver } from './change-driver-license.ts';
import { readDriverLicense, readDriverLicenses } from './read-driver-license.ts';

/** The endpoints of driver licences and drivers (specification, Endpoints). */
export const driverLicenseRoutes = [
  route(driverLicenseEndpoints.list, ({ organization, page }, { query }) =>
    readPage(
      query,
      {
        ids: query.selectFrom('drivers').select('id').where('organization_id', '=', organization),
        rows: (ids) => readDriverLicenses(query, organization, ids),
      },
      page,
    ),
  ),
  route(driverLicenseEndpoints.read, async ({ organization, params }, { query }) => ({
    data: driverLicenseDetail.parse(await readDriverLicense(query, organization, params.id)),
  })),
  route(driverLicenseEndpoints.createDriver, async ({ organization, body }, provider) => ({
    data: await provider.change(organization, (change) => addDriver(change, body.tax_id)),
  })),
];
