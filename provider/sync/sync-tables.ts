import type { z } from 'zod';
import type { importOutcome } from '../../src/contract/record/sync.ts';

export interface SyncTables {
  company_imports: {
    company_id: number;
    organization_id: number;
    started_at: string;
    /** Null while it runs. */
    outcome: z.infer<typeof importOutcome> | null;
    vehicles_total: number;
    vehicles_succeeded: number;
    vehicles_failed: number;
    violations_total: number;
    violations_succeeded: number;
    violations_failed: number;
  };
}
