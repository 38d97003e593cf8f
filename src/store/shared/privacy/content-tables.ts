/** The tables and columns that may hold personal data. */
import type { RawBuilder } from 'kysely';
import type { ContentPlace } from '../../privacy.ts';
import type { Condition } from '../sql/dialect.ts';
import type { SqlReads, Write } from '../sql/statements.ts';

/** Where the rows of a place are, and which of their columns may hold personal data. */
export interface ContentTable {
  /** The table, first, and the tables joined to it. */
  readonly from: string;
  /** The column that numbers the rows. */
  readonly key: string;
  readonly texts: readonly string[];
  /** Whether the table has a column `body`. */
  readonly body: boolean;
  readonly about: Readonly<Record<'source' | 'kind' | 'family' | 'entity' | 'at' | 'name', string>>;
}

/** Where the content is in one of the databases. */
export interface ContentTables {
  readonly tables: Readonly<Record<ContentPlace, ContentTable>>;
  /** Returns the table that has a column of a place. */
  readonly tableOf: (place: ContentPlace, column: string) => string;
  /** Joins the contents of the events after one, so many at most, where they are in a table of their own. */
  readonly joinContents?: (read: SqlReads, after: number, limit: number) => Promise<RawBuilder<unknown>>;
  /** The condition that a row of such a table is one of a place. */
  readonly isRow: (place: ContentPlace, table: string, row: number) => Write<Condition>;
}

const subject = { source: 'subjects.source', family: 'subjects.family', entity: 'subjects.entity' };
const nothing = {
  source: 'null',
  kind: 'null',
  family: 'null',
  entity: 'null',
  at: 'null',
  name: 'null',
} as const;

/**
 * Every column that holds what senders and handlers wrote. docs/internals/privacy.md lists
 * them for auditors; a test compares both with the schema.
 */
export const contentTables: Readonly<Record<ContentPlace, ContentTable>> = {
  event: {
    from: 'events join subjects on subjects.id = events.subject_id',
    key: 'events.id',
    texts: ['headers', 'message_id'],
    body: true,
    about: { ...nothing, ...subject, kind: 'events.kind', at: 'events.received_at' },
  },
  quarantine: {
    from: 'quarantine',
    key: 'quarantine.id',
    texts: ['headers', 'message', 'issues', 'kind', 'message_id', 'subject'],
    body: true,
    about: {
      ...nothing,
      source: 'quarantine.source',
      kind: 'quarantine.kind',
      at: 'quarantine.received_at',
    },
  },
  delivery: {
    from: `deliveries join events on events.id = deliveries.event_id
      join subjects on subjects.id = events.subject_id`,
    key: 'deliveries.id',
    texts: ['last_error', 'effect_change'],
    body: false,
    about: { ...nothing, ...subject, kind: 'events.kind', at: 'deliveries.finished_at' },
  },
  attempt: {
    from: `attempts join deliveries on deliveries.id = attempts.delivery_id
      join events on events.id = deliveries.event_id join subjects on subjects.id = events.subject_id`,
    key: 'attempts.id',
    texts: ['error'],
    body: false,
    about: {
      ...nothing,
      ...subject,
      kind: 'events.kind',
      at: 'attempts.ended_at',
      name: "'d' || deliveries.id || ' attempt ' || attempts.attempt",
    },
  },
  state: {
    from: 'machine_states join subjects on subjects.id = machine_states.subject_id',
    key: 'machine_states.rowid',
    texts: ['state'],
    body: false,
    about: { ...nothing, ...subject, at: 'machine_states.updated_at', name: 'machine_states.machine' },
  },
  base: {
    from: 'machine_bases join subjects on subjects.id = machine_bases.subject_id',
    key: 'machine_bases.rowid',
    texts: ['state'],
    body: false,
    about: { ...nothing, ...subject, name: 'machine_bases.machine' },
  },
  anomaly: {
    from: 'anomalies join subjects on subjects.id = anomalies.subject_id',
    key: 'anomalies.id',
    texts: ['message'],
    body: false,
    about: { ...nothing, ...subject, name: 'anomalies.machine' },
  },
  subject: {
    from: 'subjects',
    key: 'subjects.id',
    texts: ['entity'],
    body: false,
    about: { ...nothing, ...subject, name: "subjects.family || ':' || subjects.entity" },
  },
  job: {
    from: 'jobs',
    key: 'jobs.id',
    texts: ['selection', 'reason'],
    body: false,
    about: { ...nothing, at: 'jobs.created_at' },
  },
};
