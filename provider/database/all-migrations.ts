import { addAnttViolations } from '../antt-violations/antt-migration.ts';
import { addAppeals } from '../appeals/appeal-migration.ts';
import { addCharges } from '../charges/charge-migration.ts';
import { addCompanies } from '../companies/company-tables.ts';
import { addConsoleUsers } from '../console-users/console-user-migration.ts';
import { addDaysOver } from '../day-over/day-over-migration.ts';
import { addDriverLicenses } from '../driver-licenses/driver-license-migration.ts';
import { addFileKeys } from '../files/file-tables.ts';
import { addIndications } from '../indications/indication-migration.ts';
import { dropListRevisions, formerListRevisions } from '../list/list-revisions-migration.ts';
import { addLogins } from '../login/login-migration.ts';
import { addOrganizations } from '../organizations/organization-tables.ts';
import { addScenario } from '../scenario/scenario-tables.ts';
import { addSneRegistrations } from '../sne/sne-migration.ts';
import { addImports } from '../sync/sync-tables.ts';
import { addTrafficViolations } from '../traffic-violations/traffic-violation-migration.ts';
import { addUsers } from '../users/user-migration.ts';
import { addViolationTickets } from '../violation-tickets/violation-ticket-migration.ts';
import { addWebhooks, addWebhookSending } from '../webhooks/webhook-tables.ts';
import { addWidgets } from '../widget/widget-migration.ts';
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
];
