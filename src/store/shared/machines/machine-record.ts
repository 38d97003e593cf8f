/** States of machines as operators read them. */
import { parseJson } from '../../../kernel/json/parse-json.ts';
import type { MachineState } from '../../machine-states.ts';
import type { Ids } from '../ids.ts';

/** A row of `machine_states` with its subject. */
export interface StateRow {
  readonly machine: string;
  readonly source: string;
  readonly family: string;
  readonly entity: string;
  readonly state: string;
  readonly version: string | null;
  readonly last_event: number;
  readonly revision: number;
  readonly updated_at: number;
  readonly anomalies: number;
}

export function machineState(row: StateRow, ids: Ids): MachineState {
  return {
    machine: row.machine,
    source: row.source,
    subject: { family: row.family, id: row.entity },
    state: parseJson(row.state),
    version: row.version,
    lastEventId: ids.event(row.last_event),
    revision: row.revision,
    updatedAt: row.updated_at,
    anomalies: row.anomalies,
  };
}
