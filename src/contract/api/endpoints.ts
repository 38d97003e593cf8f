/** The endpoints of all parts, as the client names them. */
import { anttViolationEndpoints } from './antt-violation-endpoints.ts';
import { appealEndpoints } from './appeal-endpoints.ts';
import { chargeEndpoints } from './charge-endpoints.ts';
import { companyEndpoints } from './company-endpoints.ts';
import { consoleUserEndpoints } from './console-user-endpoints.ts';
import { driverLicenseEndpoints } from './driver-license-endpoints.ts';
import { indicationEndpoints } from './indication-endpoints.ts';
import { trafficViolationEndpoints } from './traffic-violation-endpoints.ts';
import { userEndpoints } from './user-endpoints.ts';
import { violationTicketEndpoints } from './violation-ticket-endpoints.ts';
import { widgetEndpoints } from './widget-endpoints.ts';

/**
 * Every endpoint of the provider under its name in the typed client: the resource, the part of it if there is one,
 * and a verb, as in `client.charges.list` and `client.charges.paymentSlips.request`. A paged list is `list`, the
 * list of one record's parts is `listOf`.
 */
export const endpoints = {
  companies: companyEndpoints,
  users: userEndpoints,
  consoleUsers: consoleUserEndpoints,
  widgetUsers: widgetEndpoints,
  trafficViolations: {
    ...trafficViolationEndpoints,
    tickets: violationTicketEndpoints,
    indications: indicationEndpoints,
  },
  anttViolations: anttViolationEndpoints,
  charges: chargeEndpoints,
  driverLicenses: { list: driverLicenseEndpoints.list, read: driverLicenseEndpoints.read },
  drivers: { create: driverLicenseEndpoints.createDriver },
  appeals: appealEndpoints,
};
