/** The routes of driver licences and drivers. */
import {
  driverLicenseDetail,
  driverLicenseEndpoints,
} from '../../src/contract/api/driver-license-endpoints.ts';
import { route } from '../http/route.ts';
import { addDriver } from './change-driver-license.ts';
import { driverLicenses } from './driver-license.ts';

/** The endpoints of driver licences and drivers (specification, Endpoints). */
export const driverLicenseRoutes = [
  route(driverLicenseEndpoints.list, (request, { query }) => driverLicenses.page(query, request)),
  route(driverLicenseEndpoints.read, async ({ organization, params }, { query }) => ({
    data: driverLicenseDetail.parse(await driverLicenses.read(query, organization, params.id)),
  })),
  route(driverLicenseEndpoints.createDriver, async ({ organization, body }, provider) => {
    // A driver is shown without points and status of the licence.
    const {
      points: _,
      status: __,
      ...driver
    } = await provider.change(organization, (change) => addDriver(change, body.tax_id));
    return { data: driver };
  }),
];
