/** Reads SNE registrations. */
import type { SneStatus } from './sne-tables.ts';

/** The columns of a registration in a row joined with `sne_registrations`. */
export interface SneColumns {
  readonly sne_status: SneStatus;
  readonly sne_sign_up_date: string | null;
  readonly sne_cancel_date: string | null;
  readonly sne_synced_at: string | null;
}

/** Selects {@link SneColumns}. */
export const sneColumns = [
  'sne_registrations.status as sne_status',
  'sne_registrations.sign_up_date as sne_sign_up_date',
  'sne_registrations.cancel_date as sne_cancel_date',
  'sne_registrations.synced_at as sne_synced_at',
] as const;

/** Converts the columns to the SNE block of a company or user (specification, Resources, SNE block). */
export function sneBlock(row: SneColumns) {
  return {
    status: row.sne_status,
    sign_up_date: row.sne_sign_up_date,
    cancel_date: row.sne_cancel_date,
    synced_at: row.sne_synced_at,
  };
}
