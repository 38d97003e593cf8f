import type { Generated } from 'kysely';
import type { linkStatuses } from '../../src/contract/record/user.ts';

export type LinkStatus = (typeof linkStatuses)[number];

export interface UserTables {
  users: {
    id: Generated<number>;
    organization_id: number;
    tax_id: string;
    name: string;
    email: string | null;
    phone: string | null;
    external_uid: string | null;
    status: LinkStatus;
    created_at: string;
    updated_at: string;
  };
  user_driver_licenses: {
    id: Generated<number>;
    organization_id: number;
    user_id: number;
    /** The record without `id`, `user` and `created_at`, as JSON: nothing in it is looked for. */
    record: string;
    created_at: string;
  };
}
