/** The columns of the tables in PostgreSQL, for typed queries. */
import type { Generated } from 'kysely';
import type {
  DatabaseSchema,
  DeliveriesTable,
  EventsTable,
  MachineStatesTable,
} from '../../../shared/tables.ts';

/**
 * The types of all tables in PostgreSQL, for Kysely. They have the names and columns of the tables in SQLite,
 * except where several processes need others: first-tables.ts explains them.
 */
export interface PostgresSchema extends Omit<
  DatabaseSchema,
  | 'events'
  | 'deliveries'
  | 'machine_states'
  | 'retention'
  | 'sqlite_sequence'
  | 'open_breakers'
  | 'audit_start'
> {
  migrations: { level: number; name: string; applied_at: number };
  leases: LeasesTable;
  events: Omit<EventsTable, 'headers' | 'body'>;
  event_contents: { event_id: number; received_at: number; headers: string; body: Uint8Array | null };
  deliveries: DeliveriesTable & { holder: Generated<number | null>; starts: Generated<number> };
  machine_states: Omit<MachineStatesTable, 'phases'> & { id: Generated<number>; phases: string };
  machine_bases: DatabaseSchema['machine_bases'] & { id: Generated<number> };
  retention: Omit<DatabaseSchema['retention'], 'first_body'>;
  open_breakers: { holder: number; handler: string; since: number; until: number; reason: string };
  audit_start: { id: number; through: number; hash: Uint8Array; last: number };
  pruned_days: { day: number; pruned_at: number; last_event: number | null };
  kept_events: { day: number; event_id: number };
  failure_changes: { group_id: number; dead: number; began_at: number | null; last_at: number | null };
  known_server: {
    id: number;
    system: string | null;
    database: number;
    tables: number;
    timeline: number | null;
    recorded_at: number;
  };
  pause_acknowledgements: { pause_id: number; holder: number; acknowledged_at: number };
}

interface LeasesTable {
  holder: Generated<number>;
  host: string;
  pid: number;
  level: number;
  /** By the database's clock. */
  seen_at: Generated<Date>;
}
