/** The columns of the tables, for typed queries. */
import type { Generated, GeneratedAlways } from 'kysely';
import type { AuditPlace, AuditResult } from '../audit.ts';
import type { Outage } from '../monitoring.ts';
import type { KnownDefinition } from '../processes.ts';

/**
 * The types of all tables, for Kysely. The migrations create and explain them.
 * Times are milliseconds since 1970, booleans 0 or 1.
 */
export interface DatabaseSchema {
  store: { id: number; installation: string; created_at: number };
  subjects: SubjectsTable;
  events: EventsTable;
  event_repeats: EventRepeatsTable;
  deliveries: DeliveriesTable;
  attempts: AttemptsTable;
  machine_states: MachineStatesTable;
  anomalies: AnomaliesTable;
  quarantine: QuarantineTable;
  quarantine_counts: QuarantineCountsTable;
  processes: ProcessesTable;
  known_definitions: {
    type: KnownDefinition['type'];
    name: string;
    source: string;
    origin: string;
    hash: string;
  };
  erasure_key: { id: number; key: Uint8Array };
  erasures: ErasuresTable;
  holds: HoldsTable;
  event_counts: EventCountsTable;
  row_counts: { name: 'anomalies' | 'attempts'; rows: number };
  received_counts: ReceivedCountsTable;
  hourly_counts: { hour: number; source: string; kind: string; events: number };
  counted_events: { id: number; through: number };
  rejection_counts: {
    hour: number;
    source: string;
    rejections: number;
    last_reason: string | null;
    clock_seconds: number | null;
  };
  observed_counts: { hour: number; source: string; scheme: string; webhooks: number };
  open_breakers: { handler: string; since: number; until: number; reason: string };
  outages: {
    cause: Outage['cause'];
    began_at: number;
    ended_at: number;
    handler: string | null;
    refused: number;
  };
  looks: {
    source: string;
    family: string;
    at: number;
    whole_at: number;
    equal: number;
    differing: string;
  };
  look_differences: {
    source: string;
    family: string;
    entity: string;
    outcome: string;
    fields: string;
    since: number;
    quarantined: string | null;
  };
  problems: { key: string; began_at: number; report: string };
  alerts: AlertsTable;
  /** SQLite's own: the last row number of each table with `autoincrement`. */
  sqlite_sequence: { name: string; seq: number };
  delivery_counts: { handler: string; status: string; deliveries: number };
  machine_bases: { machine: string; subject_id: number; state: string; through_event: number };
  retention: RetentionTable;
  former_store_ids: { last_event: number; store_id: string; replaced_at: number };
  replay_counts: { replay_id: number; status: string; deliveries: number };
  audit: AuditTable;
  audit_start: { id: number; through: number; hash: Uint8Array };
  ended_sessions: { session: string; ends_at: number };
  pauses: PausesTable;
  pause_changes: { id: number; changes: number };
  activity: { at: number; received: number; backlog: number; oldest_ms: number };
  handler_activity: HandlerActivityTable;
  failure_groups: FailureGroupsTable;
  failures: { delivery_id: number; group_id: number; dead: number };
  rate_buckets: RateBucketsTable;
  jobs: JobsTable;
  job_items: { job_id: number; item: number; stage: number; outcome: string | null };
}

interface SubjectsTable {
  id: Generated<number>;
  source: string;
  family: string;
  entity: string;
  latest_event: number | null;
  latest_version: string | null;
  erased: Generated<number>;
  reconciled: number | null;
}

interface ErasuresTable {
  id: Generated<number>;
  started_at: number;
  finished_at: number | null;
  requested_by: string;
  reason: string;
  identifiers: string;
  receipt: string | null;
  /** JSON of RecordedRun[]; null before the first. */
  runs: string | null;
}

interface HoldsTable {
  family: string;
  entity: string;
  reason: string;
  placed_by: string;
  placed_at: number;
}

export interface EventsTable {
  id: Generated<number>;
  kind: string;
  recognized: number;
  subject_id: number;
  digest_key: number;
  digest: Uint8Array;
  message_key: number | null;
  message_digest: Uint8Array | null;
  version: string | null;
  verdict: string;
  flags: string;
  received_at: number;
  message_id: string | null;
  headers: string;
  body: Uint8Array | null;
  pruned_at: Generated<number | null>;
}

interface EventRepeatsTable {
  event_id: number;
  repeats: number;
  last_repeat_at: number;
}

export interface DeliveriesTable {
  id: Generated<number>;
  event_id: number;
  handler: string;
  effect: string;
  effect_change: string | null;
  late: number;
  replay_id: number;
  lane_order: string;
  lane: number;
  status: string;
  head: Generated<number>;
  attempts: Generated<number>;
  cut_short: Generated<number>;
  due_at: number | null;
  asked_at: number | null;
  /** The `due_at` that its rate gave it when it waited for it last. */
  rate_until: Generated<number | null>;
  last_error: string | null;
  finished_at: number | null;
}

interface AttemptsTable {
  id: Generated<number>;
  delivery_id: number;
  attempt: number;
  outcome: string;
  ended_at: number;
  duration_ms: number | null;
  due_at: number | null;
  error: string | null;
}

export interface MachineStatesTable {
  machine: string;
  subject_id: number;
  state: string;
  version: string | null;
  last_event: number;
  revision: number;
  updated_at: number;
  anomalies: number;
  phases: GeneratedAlways<string>;
}

interface AnomaliesTable {
  id: Generated<number>;
  machine: string;
  subject_id: number;
  event_id: number;
  message: string;
}

interface QuarantineTable {
  id: Generated<number>;
  source: string;
  status: string;
  reason: string;
  kind: string | null;
  message: string;
  issues: string;
  received_at: number;
  repeats: Generated<number>;
  last_repeat_at: number | null;
  event_id: number | null;
  message_id: string | null;
  message_trusted: number;
  digest_key: number;
  digest: Uint8Array;
  headers: string;
  body: Uint8Array;
  verified: Generated<number>;
  erased: Generated<number>;
  canonical_digest: Generated<Uint8Array | null>;
  bytes: GeneratedAlways<number>;
  problem: Generated<string>;
  subject: string | null;
}

interface QuarantineCountsTable {
  verified: number;
  reason: string;
  held: Generated<number>;
  bytes: Generated<number>;
  dropped: Generated<number>;
  dropped_bytes: Generated<number>;
}

interface ProcessesTable {
  id: string;
  host: string;
  pid: number;
  version: string;
  started_at: number;
  handlers: string;
}

interface ReceivedCountsTable {
  source: string;
  kind: string;
  recognized: number;
  events: number;
  first_received_at: number;
  last_received_at: number;
}

interface AlertsTable {
  id: Generated<number>;
  body: string;
  attempts: Generated<number>;
  due_at: number;
  last_error: Generated<string | null>;
}

interface EventCountsTable {
  kind: string;
  recognized: number;
  verdict: string;
  events: number;
  repeats: number;
  last_received_at: number;
}

interface RetentionTable {
  id: number;
  pruned_events: Generated<number>;
  pruned_bytes: Generated<number>;
  pruned_quarantine: Generated<number>;
  pruned_deliveries: Generated<number>;
  discarded_deliveries: Generated<number>;
  first_body: Generated<number>;
  last_run_at: number | null;
  next_run_at: number | null;
}

export interface AuditTable {
  id: number;
  at: number;
  place: AuditPlace;
  actor: string | null;
  address: string | null;
  action: string;
  unmasked: number;
  subject: string;
  reason: string | null;
  result: AuditResult;
  status: number | null;
  times: number;
  ends: number | null;
  hash: Uint8Array;
}

interface HandlerActivityTable {
  at: number;
  handler: string;
  succeeded: number;
  failed: number;
  dead: number;
  skipped: number;
  breaker_ms: number;
  durations: string;
}

interface PausesTable {
  id: Generated<number>;
  handler: string | null;
  source: string | null;
  family: string | null;
  entity: string | null;
  reason: string;
  paused_by: string;
  paused_at: number;
  until: number | null;
  acknowledged_at: Generated<number | null>;
  /** The dead letter behind which the lane waits; null for a pause of an operator. */
  delivery_id: Generated<number | null>;
}

/** Times are microseconds since 1970. */
interface RateBucketsTable {
  bucket: string;
  key: string;
  empty_at: number;
  closed_until: number;
  queued_until: number;
  overdue_until: number;
  asked_at: number;
  interval_us: number;
  idle_at: number;
}

interface FailureGroupsTable {
  id: Generated<number>;
  handler: string;
  fingerprint: string;
  dead: number;
  first_at: number;
  last_at: number;
}

interface JobsTable {
  id: Generated<number>;
  plan: string;
  action: string;
  selection: string;
  planned: number;
  staged: number;
  rate: number | null;
  stop_at: number | null;
  reason: string | null;
  requested_by: string;
  created_at: number;
  ended_at: number | null;
  state: string;
  message: string | null;
  stage: Generated<number>;
  stage_size: number | null;
  stage_acted: Generated<number>;
  stage_ended: Generated<number>;
  stage_failed: Generated<number>;
  cursor: Generated<number>;
  acted: Generated<number>;
  left_alone: Generated<number>;
  succeeded: Generated<number>;
  failed: Generated<number>;
  skipped: Generated<number>;
}
