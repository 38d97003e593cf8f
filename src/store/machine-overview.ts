/** Machines as a whole: how many subjects are in which phases. */
import type { Anomaly, MachineState } from './machine-states.ts';
import type { SourceSubject } from './queries.ts';

/** How many subjects are in the same phases of a machine. */
export interface PhaseCount {
  /** In the order of the state’s parts; empty when the state has none. */
  readonly phases: readonly string[];
  readonly subjects: number;
  /** Whether there are more, which were not counted. */
  readonly more: boolean;
}

/** Selects states of one machine. */
export interface PhaseFilter {
  readonly machine: string;
  /** In this phase, with whatever other phases. */
  readonly phase?: string;
  /** With an anomaly. */
  readonly anomalous?: boolean;
}

/** Reads of machines as a whole, for operators. Their cost does not grow with the number of subjects. */
export interface MachineOverview {
  /** Returns the names of all machines that have a state. */
  machineNames(): Promise<readonly string[]>;
  /** Counts the subjects of a machine by phases: up to 10,000 of each, for the first 100 different ones. */
  phaseCounts(machine: string): Promise<readonly PhaseCount[]>;
  /** Counts the subjects of a machine with an anomaly, up to 10,000. */
  anomalousSubjects(machine: string): Promise<Pick<PhaseCount, 'subjects' | 'more'>>;
  /**
   * Returns a page of a machine's states, in the order in which their subjects were first seen.
   *
   * @param page `after` is the cursor that the page before returned
   */
  statesInPhase(
    filter: PhaseFilter,
    page: { readonly limit: number; readonly after?: string },
  ): Promise<{ readonly states: readonly MachineState[]; readonly cursor: string | null }>;
  /** Returns the latest anomalies of a machine, newest first. */
  latestAnomalies(machine: string, limit: number): Promise<readonly (Anomaly & SourceSubject)[]>;
}
