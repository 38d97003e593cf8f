import type { z } from 'zod';
import type { sne } from '../../src/contract/record/sne.ts';
import type { OwnerKind } from '../login/login-tables.ts';

export type SneStatus = NonNullable<z.infer<typeof sne>['status']>;

export interface SneTables {
  sne_registrations: {
    owner_kind: OwnerKind;
    owner_id: number;
    organization_id: number;
    status: SneStatus;
    sign_up_date: string | null;
    cancel_date: string | null;
    synced_at: string | null;
  };
}
