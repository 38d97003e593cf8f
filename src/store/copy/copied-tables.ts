/** The tables of a store as a copy reads and writes them: keys, columns and their types. */

/** The type of a column, alike in both stores. */
export type ColumnType = 'integer' | 'real' | 'text' | 'bytes';

/** A table that a copy carries over, with the columns that mean the same in both stores. */
export interface CopiedTable {
  readonly name: string;
  readonly columns: Readonly<Record<string, ColumnType>>;
  /** The columns that identify a row, by which it is read in pages. */
  readonly key: readonly string[];
  /** The columns with contents of any length: a page holds a bounded number of their bytes. */
  readonly long?: readonly string[];
  /** In PostgreSQL, rows are changes that add up. The table is small, and it is read and written as a whole. */
  readonly sums?: readonly string[];
  /** A new store has rows of this table. */
  readonly isSeeded?: boolean;
  /** Rows are numbered. `rows`: the last number is the highest id; `used`: a counter keeps it after its row is deleted. */
  readonly numbered?: 'rows' | 'used';
}

const [integer, real, text, bytes] = ['integer', 'real', 'text', 'bytes'] as const;

const counts: readonly CopiedTable[] = [
  {
    name: 'event_counts',
    key: ['kind', 'recognized', 'verdict'],
    sums: ['events', 'repeats', 'last_received_at'],
    columns: {
      ...{ kind: text, recognized: integer, verdict: text },
      ...{ events: integer, repeats: integer, last_received_at: integer },
    },
  },
  {
    name: 'delivery_counts',
    key: ['handler', 'status'],
    sums: ['deliveries'],
    columns: { handler: text, status: text, deliveries: integer },
  },
  {
    name: 'replay_counts',
    key: ['replay_id', 'status'],
    sums: ['deliveries'],
    columns: { replay_id: integer, status: text, deliveries: integer },
  },
  {
    // Its bytes are those of the rows: PostgreSQL stores some characters as two.
    name: 'quarantine_counts',
    key: ['verified', 'reason'],
    sums: ['held', 'dropped', 'dropped_bytes'],
    columns: { verified: integer, reason: text, held: integer, dropped: integer, dropped_bytes: integer },
  },
  {
    name: 'row_counts',
    key: ['name'],
    sums: ['rows'],
    isSeeded: true,
    columns: { name: text, rows: integer },
  },
  {
    name: 'received_counts',
    key: ['source', 'kind'],
    sums: ['recognized', 'events', 'first_received_at', 'last_received_at'],
    columns: {
      ...{ source: text, kind: text, recognized: integer, events: integer },
      ...{ first_received_at: integer, last_received_at: integer },
    },
  },
];

const eventsAndDeliveries: readonly CopiedTable[] = [
  {
    name: 'subjects',
    key: ['id'],
    numbered: 'rows',
    columns: {
      ...{ id: integer, source: text, family: text, entity: text },
      ...{ latest_event: integer, latest_version: text, erased: integer },
    },
  },
  {
    // In PostgreSQL, headers and bodies are in `event_contents`. A pruned event has no row there.
    name: 'events',
    key: ['id'],
    numbered: 'rows',
    long: ['headers', 'body'],
    columns: {
      ...{ id: integer, kind: text, recognized: integer, subject_id: integer, digest_key: integer },
      ...{ digest: bytes, message_key: integer, message_digest: bytes, version: text, verdict: text },
      ...{ flags: text, received_at: integer, message_id: text, pruned_at: integer },
      ...{ headers: text, body: bytes },
    },
  },
  {
    name: 'event_repeats',
    key: ['event_id'],
    columns: { event_id: integer, repeats: integer, last_repeat_at: integer },
  },
  {
    name: 'deliveries',
    key: ['id'],
    numbered: 'rows',
    columns: {
      ...{ id: integer, event_id: integer, handler: text, effect: text, effect_change: text, late: integer },
      ...{ replay_id: integer, lane_order: text, lane: integer, status: text, head: integer },
      ...{ attempts: integer, cut_short: integer, due_at: integer, asked_at: integer, last_error: text },
      finished_at: integer,
    },
  },
  {
    name: 'attempts',
    key: ['id'],
    numbered: 'rows',
    columns: {
      ...{ id: integer, delivery_id: integer, attempt: integer, outcome: text, ended_at: integer },
      ...{ duration_ms: integer, due_at: integer, error: text },
    },
  },
  {
    name: 'failure_groups',
    key: ['id'],
    numbered: 'rows',
    columns: {
      ...{ id: integer, handler: text, fingerprint: text, dead: integer },
      ...{ first_at: integer, last_at: integer },
    },
  },
  {
    name: 'failures',
    key: ['delivery_id'],
    columns: { delivery_id: integer, group_id: integer, dead: integer },
  },
  {
    name: 'machine_states',
    key: ['machine', 'subject_id'],
    long: ['state'],
    columns: {
      ...{ machine: text, subject_id: integer, state: text, version: text, last_event: integer },
      ...{ revision: integer, updated_at: integer, anomalies: integer },
    },
  },
  {
    name: 'machine_bases',
    key: ['machine', 'subject_id'],
    long: ['state'],
    columns: { machine: text, subject_id: integer, state: text, through_event: integer },
  },
  {
    name: 'anomalies',
    key: ['id'],
    numbered: 'used',
    columns: { id: integer, machine: text, subject_id: integer, event_id: integer, message: text },
  },
  {
    name: 'quarantine',
    key: ['id'],
    numbered: 'used',
    long: ['headers', 'body', 'issues', 'message'],
    columns: {
      ...{ id: integer, source: text, status: text, reason: text, kind: text, message: text, issues: text },
      ...{ received_at: integer, repeats: integer, last_repeat_at: integer, event_id: integer },
      ...{ message_id: text, message_trusted: integer, digest_key: integer, digest: bytes },
      ...{ verified: integer, erased: integer, canonical_digest: bytes, problem: text },
      ...{ headers: text, body: bytes },
    },
  },
];

const operators: readonly CopiedTable[] = [
  {
    name: 'replays',
    key: ['id'],
    numbered: 'used',
    columns: {
      ...{ id: integer, created_at: integer, filter: text, handlers: text, if_not_succeeded: integer },
      ...{ target: text, status: text, cursor: text },
    },
  },
  {
    name: 'jobs',
    key: ['id'],
    numbered: 'used',
    columns: {
      ...{ id: integer, plan: text, action: text, selection: text, planned: integer, staged: integer },
      ...{ rate: real, stop_at: real, reason: text, requested_by: text, created_at: integer },
      ...{ ended_at: integer, state: text, message: text, stage: integer, stage_size: integer },
      ...{ stage_acted: integer, stage_ended: integer, stage_failed: integer, cursor: integer },
      ...{ acted: integer, left_alone: integer, succeeded: integer, failed: integer, skipped: integer },
    },
  },
  {
    name: 'job_items',
    key: ['job_id', 'item'],
    columns: { job_id: integer, item: integer, stage: integer, outcome: text },
  },
  {
    name: 'pauses',
    key: ['id'],
    numbered: 'used',
    columns: {
      ...{ id: integer, handler: text, source: text, family: text, entity: text, reason: text },
      ...{ paused_by: text, paused_at: integer, until: integer, acknowledged_at: integer },
    },
  },
  { name: 'pause_changes', key: ['id'], isSeeded: true, columns: { id: integer, changes: integer } },
  {
    name: 'known_definitions',
    key: ['type', 'source', 'name'],
    columns: { type: text, source: text, name: text, origin: text, hash: text },
  },
  {
    name: 'erasures',
    key: ['id'],
    numbered: 'used',
    columns: {
      ...{ id: integer, started_at: integer, finished_at: integer, requested_by: text, reason: text },
      ...{ identifiers: text, receipt: text, runs: text },
    },
  },
  {
    name: 'holds',
    key: ['family', 'entity'],
    columns: { family: text, entity: text, reason: text, placed_by: text, placed_at: integer },
  },
  {
    name: 'audit_start',
    key: ['id'],
    isSeeded: true,
    columns: { id: integer, through: integer, hash: bytes },
  },
  {
    name: 'audit',
    key: ['id'],
    numbered: 'used',
    columns: {
      ...{ id: integer, at: integer, place: text, actor: text, address: text, action: text },
      ...{ unmasked: integer, subject: text, reason: text, result: text, status: integer },
      ...{ times: integer, ends: integer, hash: bytes },
    },
  },
  { name: 'ended_sessions', key: ['session'], columns: { session: text, ends_at: integer } },
];

const monitoring: readonly CopiedTable[] = [
  {
    name: 'hourly_counts',
    key: ['hour', 'source', 'kind'],
    columns: { hour: integer, source: text, kind: text, events: integer },
  },
  { name: 'counted_events', key: ['id'], isSeeded: true, columns: { id: integer, through: integer } },
  {
    name: 'rejection_counts',
    key: ['hour', 'source'],
    columns: { hour: integer, source: text, rejections: integer },
  },
  { name: 'problems', key: ['key'], columns: { key: text, began_at: integer, report: text } },
  {
    name: 'alerts',
    key: ['id'],
    numbered: 'used',
    columns: { id: integer, body: text, attempts: integer, due_at: integer, last_error: text },
  },
  {
    name: 'activity',
    key: ['at'],
    columns: { at: integer, received: integer, backlog: integer, oldest_ms: integer },
  },
  {
    name: 'handler_activity',
    key: ['at', 'handler'],
    columns: {
      ...{ at: integer, handler: text, succeeded: integer, failed: integer, dead: integer },
      ...{ skipped: integer, breaker_ms: integer, durations: text },
    },
  },
  {
    name: 'retention',
    key: ['id'],
    isSeeded: true,
    columns: {
      ...{ id: integer, pruned_events: integer, pruned_bytes: integer, pruned_quarantine: integer },
      ...{ pruned_deliveries: integer, discarded_deliveries: integer },
      ...{ last_run_at: integer, next_run_at: integer },
    },
  },
];

/**
 * All tables of a copy, each after those that it refers to. The records of running processes are left out, and so are
 * columns that a store computes or that only one store has. A test compares this list with both schemas.
 */
export const copiedTables: readonly CopiedTable[] = [
  {
    name: 'store',
    key: ['id'],
    isSeeded: true,
    columns: { id: integer, installation: text, created_at: integer },
  },
  {
    name: 'former_store_ids',
    key: ['last_event'],
    columns: { last_event: integer, store_id: text, replaced_at: integer },
  },
  { name: 'erasure_key', key: ['id'], isSeeded: true, columns: { id: integer, key: bytes } },
  ...eventsAndDeliveries,
  ...operators,
  ...monitoring,
  ...counts,
];

export function copiedTable(name: string): CopiedTable {
  const table = copiedTables.find((one) => one.name === name);
  if (table === undefined) throw new Error(`no table ${name} is copied`);
  return table;
}
