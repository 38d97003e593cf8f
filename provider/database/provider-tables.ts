/** The columns of the provider's tables, for typed queries. */
import type { AnttViolationTables } from '../antt-violations/antt-violation-tables.ts';
import type { AppealTables } from '../appeals/appeal-tables.ts';
import type { ChargeTables } from '../charges/charge-tables.ts';
import type { CompanyTables } from '../companies/company-tables.ts';
import type { ConsoleUserTables } from '../console-users/console-user-tables.ts';
import type { DayOverTables } from '../day-over/day-over-tables.ts';
import type { DriverLicenseTables } from '../driver-licenses/driver-license-tables.ts';
import type { FileTables } from '../files/file-tables.ts';
import type { IndicationTables } from '../indications/indication-tables.ts';
import type { LoginTables } from '../login/login-tables.ts';
import type { OrganizationTables } from '../organizations/organization-tables.ts';
import type { ScenarioTables } from '../scenario/scenario-tables.ts';
import type { SneTables } from '../sne/sne-tables.ts';
import type { SyncTables } from '../sync/sync-tables.ts';
import type { TrafficViolationTables } from '../traffic-violations/traffic-violation-tables.ts';
import type { UserTables } from '../users/user-tables.ts';
import type { ViolationTicketTables } from '../violation-tickets/violation-ticket-tables.ts';
import type { WebhookTables } from '../webhooks/webhook-tables.ts';
import type { WidgetTables } from '../widget/widget-tables.ts';

/**
 * All tables, for Kysely. Instants are ISO 8601 in UTC with milliseconds and days are
 * `YYYY-MM-DD`, so both compare as strings. Booleans are 0 or 1. Amounts are in reais.
 */
export interface ProviderTables
  extends
    OrganizationTables,
    WebhookTables,
    LoginTables,
    SneTables,
    CompanyTables,
    UserTables,
    ConsoleUserTables,
    WidgetTables,
    AnttViolationTables,
    ScenarioTables,
    SyncTables,
    ChargeTables,
    DayOverTables,
    DriverLicenseTables,
    FileTables,
    TrafficViolationTables,
    ViolationTicketTables,
    AppealTables,
    IndicationTables {}
