import type { Generated } from 'kysely';
import type { appealObjectTypes, appealStatuses, legalInstances } from '../../src/contract/record/appeal.ts';

export type AppealStatus = (typeof appealStatuses)[number];
export type LegalInstance = (typeof legalInstances)[number];

export interface AppealTables {
  appeals: {
    id: Generated<number>;
    organization_id: number;
    /** Id of a driver. */
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
