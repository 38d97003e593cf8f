/** The table of SNE registrations, and its migration. */
import type { z } from 'zod';
import type { sne } from '../../src/contract/record/sne.ts';
import type { Migration } from '../database/migration.ts';
import type { OwnerKind } from '../login/login-tables.ts';

export type SneStatus = NonNullable<z.infer<typeof sne>['status']>;

/** The table of registrations with the SNE, the electronic notification system: one for each company and user. */
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

/** Creates {@link SneTables}. */
export const addSneRegistrations: Migration = {
  name: 'SNE registrations of companies and users',
  sql: `
    create table sne_registrations (
      owner_kind text not null check (owner_kind in ('company', 'user')),
      owner_id integer not null,
      organization_id integer not null references organizations (id),
      status text not null,
      sign_up_date text,
      cancel_date text,
      synced_at text,
      primary key (owner_kind, owner_id)
    );
  `,
};
