/** The endpoints of driver licences. */
import { z } from 'zod';
import { driver, driverLicense } from '../record/driver-license.ts';
import { one, pageOf } from './response.ts';
import { nonEmptyString } from './body-field.ts';
import { endpointsOf } from './endpoint.ts';

const endpoint = endpointsOf('Driver licenses');

/** The detail has no `created_at` (specification, Resources, Driver license). */
export const driverLicenseDetail = z.object(driverLicense.omit({ created_at: true }).shape);

/** Specification, Endpoints, Driver licenses and drivers. */
export const driverLicenseEndpoints = {
  list: endpoint({
    operationId: 'listDriverLicenses',
    summary: 'Driver licenses, and with them the drivers of the organization',
    path: '/v1/driver-licenses',
    filters: {},
    response: { status: 200, description: 'A page of licences.', schema: pageOf(driverLicense) },
  }),
  read: endpoint({
    operationId: 'readDriverLicense',
    summary: 'One driver license',
    path: '/v1/driver-licenses/{id}',
    response: { status: 200, description: 'The licence.', schema: one(driverLicenseDetail) },
    errors: { 404: 'There is no such licence. The label is in Portuguese, and there is no message.' },
  }),
  createDriver: endpoint({
    operationId: 'createDriver',
    summary: 'Add a driver by CPF; the licence is looked up',
    method: 'post',
    path: '/v1/drivers',
    // The handler checks the CPF itself: its error has a label of its own.
    body: z.object({ tax_id: nonEmptyString.describe('CPF, digits only.') }),
    response: { status: 201, description: 'The driver.', schema: one(driver) },
    errors: {
      400: 'The CPF is not valid. The label is in Portuguese.',
      404: 'There is no licence for the CPF. The label is in Portuguese.',
    },
  }),
};
