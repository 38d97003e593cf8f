import type { Generated } from 'kysely';
import type { z } from 'zod';
import type { loginStatus, loginStep } from '../../src/contract/record/login.ts';

/** Companies and users have one login and one SNE registration each; their ids may collide. */
export type OwnerKind = 'company' | 'user';

export interface LoginTables {
  logins: {
    id: Generated<number>;
    organization_id: number;
    owner_kind: OwnerKind;
    owner_id: number;
    /** The login identifier of login events. */
    uid: string;
    type: string;
    status: z.infer<typeof loginStatus>;
    connected: number;
    connected_at: string | null;
    disconnected_at: string | null;
    step: z.infer<typeof loginStep> | null;
    /** Tries within the step, from 1. */
    attempt: number;
  };
}
