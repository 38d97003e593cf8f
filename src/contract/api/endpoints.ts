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
 * Every endpoint of the provider, by resource. The names are those of the typed client:
 * `client.charges.list`. Names of paged lists begin with `list`.
 */
export const endpoints = {
  companies: companyEndpoints,
  users: userEndpoints,
  consoleUsers: consoleUserEndpoints,
  widgetUsers: widgetEndpoints,
  trafficViolations: trafficViolationEndpoints,
  violationTickets: violationTicketEndpoints,
  indications: indicationEndpoints,
  anttViolations: anttViolationEndpoints,
  charges: chargeEndpoints,
  driverLicenses: driverLicenseEndpoints,
  appeals: appealEndpoints,
};
