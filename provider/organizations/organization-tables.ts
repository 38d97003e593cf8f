/** The tables of organizations, and what each has one of or more: API keys, signing keys of files, daily tasks. */
import { blob, id, integer, organization, table, text } from '../database/table.ts';

export const organizationTable = table(
  'organizations',
  { id, name: text(), created_at: text() },
  { constraints: ['unique (name)'] },
);

export const apiKeyTable = table(
  'api_keys',
  {
    hash: blob(),
    organization_id: organization,
    /** The first characters of the key, by which an operator recognizes it. */
    prefix: text(),
    created_at: text(),
  },
  { constraints: ['primary key (hash)'], withoutRowid: true },
);

/** The key that signs the URLs of an organization's files. */
export const fileKeyTable = table(
  'file_keys',
  {
    organization_id: organization,
    /** HMAC key of the URLs of the organization's files. */
    secret: text(),
  },
  { constraints: ['primary key (organization_id)'] },
);

/** How far the daily tasks of an organization have come. */
export const dayOverTable = table(
  'days_over',
  {
    organization_id: organization,
    /** The last day that all tasks have processed, `YYYY-MM-DD`. */
    day: text(),
    /** The day that the current run processes; the same as `day` between runs. */
    next_day: text(),
    /** Index of the task that runs next. */
    turn: integer(),
    /** The last record that this task has processed. */
    last_id: integer(),
  },
  { constraints: ['primary key (organization_id)'] },
);
