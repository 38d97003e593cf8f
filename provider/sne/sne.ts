/** Registrations with the SNE, the electronic notification system: their table, and how records show them. */
import type { z } from 'zod';
import type { sne } from '../../src/contract/record/sne.ts';
import { integer, organization, table, text, textOrNull } from '../database/table.ts';
import type { OwnerKind } from '../login/login.ts';

export type SneStatus = NonNullable<z.infer<typeof sne>['status']>;

/** One registration for each company and user. */
export const sneTable = table(
  'sne_registrations',
  {
    owner_kind: text<OwnerKind>(),
    owner_id: integer(),
    organization_id: organization,
    status: text(),
    sign_up_date: textOrNull(),
    cancel_date: textOrNull(),
    synced_at: textOrNull(),
  },
  { constraints: [`check (owner_kind in ('company', 'user'))`, 'primary key (owner_kind, owner_id)'] },
);

/** The columns of a registration in a row joined with `sne_registrations`. */
export const sneColumns = [
  'sne_registrations.status as sne_status',
  'sne_registrations.sign_up_date as sne_sign_up_date',
  'sne_registrations.cancel_date as sne_cancel_date',
  'sne_registrations.synced_at as sne_synced_at',
] as const;

interface SneColumns {
  readonly sne_status: SneStatus;
  readonly sne_sign_up_date: string | null;
  readonly sne_cancel_date: string | null;
  readonly sne_synced_at: string | null;
}

/** Converts {@link sneColumns} to the SNE block of a company or user (specification, Resources, SNE block). */
export function sneBlock(row: SneColumns) {
  return {
    status: row.sne_status,
    sign_up_date: row.sne_sign_up_date,
    cancel_date: row.sne_cancel_date,
    synced_at: row.sne_synced_at,
  };
}
