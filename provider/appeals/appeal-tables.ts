/** The table of appeals, and its migration. */
import type { Generated } from 'kysely';
import type { appealObjectTypes, appealStatuses, legalInstances } from '../../src/contract/record/appeal.ts';
import type { Migration } from '../database/migration.ts';

export type AppealStatus = (typeof appealStatuses)[number];
export type LegalInstance = (typeof legalInstances)[number];

/** The table of appeals. */
export interface AppealTables {
  appeals: {
    id: Generated<number>;
    organization_id: number;
    /** Id of the driver. */
    user_id: number;
    legal_instance: LegalInstance;
    status: AppealStatus;
    submitted_at: string;
    reference_object_id: number;
    reference_object_type: (typeof appealObjectTypes)[number];
    created_at: string;
    updated_at: string;
  };
}

/** Creates {@link AppealTables}. */
export const addAppeals: Migration = {
  name: 'appeals',
  sql: `
    create table appeals (
      id integer primary key autoincrement,
      organization_id integer not null references organizations (id),
      user_id integer not null references drivers (id),
      legal_instance text not null,
      status text not null,
      submitted_at text not null,
      reference_object_id integer not null,
      reference_object_type text not null,
      created_at text not null,
      updated_at text not null
    );
    create index appeals_by_organization on appeals (organization_id);
    create index appeals_by_status on appeals (organization_id, status);
    create index appeals_by_reference on appeals (organization_id, reference_object_type, reference_object_id, status);
  `,
};
