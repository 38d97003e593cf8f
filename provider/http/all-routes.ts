/** The routes of all parts of the API in one list. */
import { anttViolationRoutes } from '../antt-violations/antt-violation-routes.ts';
import { appealRoutes } from '../appeals/appeal-routes.ts';
import { chargeRoutes } from '../charges/charge-routes.ts';
import { companyRoutes } from '../companies/company-routes.ts';
import { consoleUserRoutes } from '../console-users/console-user-routes.ts';
import { driverLicenseRoutes } from '../driver-licenses/driver-license-routes.ts';
import { indicationRoutes } from '../indications/indication-routes.ts';
import { trafficViolationRoutes } from '../traffic-violations/traffic-violation-routes.ts';
import { userRoutes } from '../users/user-routes.ts';
import { violationTicketRoutes } from '../violation-tickets/violation-ticket-routes.ts';
import { widgetRoutes } from '../widget/widget-routes.ts';
import type { Route } from './route.ts';

/** Every route of the API. Within a part, fixed paths come before paths with an id in the same place. */
export const allRoutes: readonly Route[] = [
  ...companyRoutes,
  ...userRoutes,
  ...consoleUserRoutes,
  ...widgetRoutes,
  ...violationTicketRoutes,
  ...trafficViolationRoutes,
  ...indicationRoutes,
  ...anttViolationRoutes,
  ...chargeRoutes,
  ...driverLicenseRoutes,
  ...appealRoutes,
];
