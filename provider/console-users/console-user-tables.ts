import type { Generated } from 'kysely';

export interface ConsoleUserTables {
  console_users: {
    /** In order of creation, for lists. */
    number: Generated<number>;
    id: string;
    organization_id: number;
    group_id: number;
    name: string | null;
    email: string;
    /** For comparing: nobody means two persons by two spellings of one address. */
    email_key: string;
    external_uid: string | null;
    created_at: string;
    updated_at: string;
  };
  company_groups: { id: Generated<number>; organization_id: number; created_at: string };
  company_group_members: {
    group_id: number;
    company_id: number;
    organization_id: number;
    /** The caller's identifier of the company for this group; null to go by the company's own. */
    external_uid: string | null;
  };
  console_tokens: {
    hash: Uint8Array;
    console_user_id: string;
    organization_id: number;
    expires_at: string;
  };
}
