/** All tables of the provider. */
import { anttTicketTable } from '../antt-violations/antt-ticket.ts';
import { anttViolationTable } from '../antt-violations/antt-violation.ts';
import { appealTable } from '../appeals/appeal.ts';
import { chargeSlipTable } from '../charges/charge-slip.ts';
import { chargeTable } from '../charges/charge.ts';
import { companyTable } from '../companies/company.ts';
import {
  companyGroupTable,
  consoleTokenTable,
  consoleUserTable,
  groupMemberTable,
} from '../console-users/console-user.ts';
import { driverTable, registryLicenseTable } from '../driver-licenses/driver-license.ts';
import {
  documentEventTable,
  documentSignerTable,
  indicationRuleTable,
  indicationTable,
  signingDocumentTable,
} from '../indications/indication-tables.ts';
import { loginTable } from '../login/login.ts';
import {
  apiKeyTable,
  dayOverTable,
  fileKeyTable,
  organizationTable,
} from '../organizations/organization-tables.ts';
import { clockTable, scheduledStepTable } from '../scenario/scenario-tables.ts';
import { sneTable } from '../sne/sne.ts';
import { importTable } from '../sync/company-imports.ts';
import { agencyTable, trafficViolationTable } from '../traffic-violations/traffic-violation-tables.ts';
import { userLicenseTable, userTable } from '../users/user.ts';
import { violationTicketTable } from '../violation-tickets/violation-ticket.ts';
import { webhookDeliveryTable, webhookEndpointTable, webhookEventTable } from '../webhooks/webhook-tables.ts';
import { widgetSignInTable, widgetTable, widgetUserTable } from '../widget/widget-tables.ts';
import type { TablesOf } from './table.ts';

/** A change of a table raises the level in `open-provider-database.ts`. */
export const providerTables = [
  organizationTable,
  apiKeyTable,
  webhookEndpointTable,
  webhookEventTable,
  webhookDeliveryTable,
  loginTable,
  sneTable,
  companyTable,
  userTable,
  userLicenseTable,
  companyGroupTable,
  groupMemberTable,
  consoleUserTable,
  consoleTokenTable,
  widgetTable,
  widgetUserTable,
  widgetSignInTable,
  chargeTable,
  chargeSlipTable,
  anttViolationTable,
  anttTicketTable,
  registryLicenseTable,
  driverTable,
  fileKeyTable,
  agencyTable,
  trafficViolationTable,
  violationTicketTable,
  appealTable,
  indicationTable,
  indicationRuleTable,
  signingDocumentTable,
  documentSignerTable,
  documentEventTable,
  scheduledStepTable,
  clockTable,
  importTable,
  dayOverTable,
] as const;

/**
 * The columns of all tables, for Kysely. Instants are ISO 8601 in UTC with milliseconds and days are
 * `YYYY-MM-DD`, so both compare as strings. Booleans are 0 or 1. Amounts are in reais.
 */
export interface ProviderTables extends TablesOf<(typeof providerTables)[number]> {}
