import type { Generated } from 'kysely';

export interface OrganizationTables {
  organizations: { id: Generated<number>; name: string; created_at: string };
  api_keys: { hash: Uint8Array; organization_id: number; created_at: string };
}
