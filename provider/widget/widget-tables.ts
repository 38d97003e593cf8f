/** The tables of widgets, their users, and sign-ins that were not taken up yet. */
import { blob, id, organization, reference, table, text, textOrNull } from '../database/table.ts';

export const widgetTable = table(
  'widgets',
  { uid: text(), organization_id: organization, created_at: text() },
  { constraints: ['primary key (uid)'], withoutRowid: true },
);

export const widgetUserTable = table(
  'widget_users',
  {
    id,
    organization_id: organization,
    external_uid: text(),
    tax_id: textOrNull(),
    phone: textOrNull(),
    created_at: text(),
    updated_at: text(),
  },
  { constraints: ['unique (organization_id, external_uid)'] },
);

export const widgetSignInTable = table(
  'widget_sign_ins',
  {
    /** Digest of the last path segment of the sign-in address. */
    hash: blob(),
    organization_id: organization,
    widget_uid: text(),
    widget_user_id: reference('widget_users', 'on delete cascade'),
    created_at: text(),
  },
  {
    constraints: ['primary key (hash)', 'foreign key (widget_uid) references widgets (uid)'],
    withoutRowid: true,
  },
);
