/** The list of migrations of the provider's database. */
import { addAnttViolations } from '../antt-violations/antt-violation-tables.ts';
import { addAppeals } from '../appeals/appeal-tables.ts';
import { addCharges } from '../charges/charge-tables.ts';
import { addCompanies } from '../companies/company-tables.ts';
import { addConsoleUsers } from '../console-users/console-user-tables.ts';
import { addDaysOver } from '../day-over/day-over-tables.ts';
import { addDriverLicenses } from '../driver-licenses/driver-license-tables.ts';
import { addFileKeys } from '../files/file-tables.ts';
import { addIndications } from '../indications/indication-tables.ts';
import { dropListRevisions, formerListRevisions } from '../list/list-revisions-migration.ts';
import { addLogins } from '../login/login-tables.ts';
import { addKeyPrefixes, addOrganizations } from '../organizations/organization-tables.ts';
import { addScenario } from '../scenario/scenario-tables.ts';
import { addSneRegistrations } from '../sne/sne-tables.ts';
import { addImports } from '../sync/sync-tables.ts';
import { addTrafficViolations } from '../traffic-violations/traffic-violation-tables.ts';
import { addUsers } from '../users/user-tables.ts';
import { addViolationTickets } from '../violation-tickets/violation-ticket-tables.ts';
import { addWebhooks, addWebhookSending } from '../webhooks/webhook-tables.ts';
import { addWidgets } from '../widget/widget-tables.ts';
import type { Migration } from './migration.ts';
import { addSetAsideIndexes } from './set-aside-indexes.ts';

/** All migrations, oldest first. The position of each is its schema version: append, never insert. */
export const allMigrations: readonly Migration[] = [
  formerListRevisions,
  addOrganizations,
  addWebhooks,
  addLogins,
  addSneRegistrations,
  addCompanies,
  addUsers,
  addConsoleUsers,
  addWidgets,
  addCharges,
  addAnttViolations,
  addDriverLicenses,
  addFileKeys,
  addTrafficViolations,
  addWebhookSending,
  addViolationTickets,
  addAppeals,
  addIndications,
  addScenario,
  addImports,
  addDaysOver,
  addSetAsideIndexes,
  dropListRevisions,
  addKeyPrefixes,
];
