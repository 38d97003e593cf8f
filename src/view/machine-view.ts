/** Machines and their states, as command line, API and console show them. */
import { z } from 'zod';
import { subjectName } from '../event/subject.ts';
import { phasesOf } from '../store/state-phases.ts';
import type { Anomaly, MachineState } from '../store/machine-states.ts';
import { instantText } from './instant-text.ts';
import { errorText, type Masking } from './payload/unmasking.ts';
import type { Contract } from '../contract/contract.ts';
import { maskAll } from '../contract/personal-data.ts';
import type { JsonValue } from '../kernel/json/json.ts';

export const machineSchema = z
  .object({
    machine: z.string().describe('The machine’s name.'),
    source: z.string().describe('Where the subject’s events come from.'),
    subject: z.string().describe('Whose state it is, `family:id`.'),
    phases: z
      .array(z.string())
      .describe(
        'What the state is in: the state itself if it is a text, and its members `phase`, `status`, `session`.',
      ),
    version: z.string().nullable().describe('The highest version folded in; null when none had one.'),
    last_event_id: z.string().describe('The last event folded in, by arrival.'),
    revision: z.int().min(1).describe('How often the state was stored.'),
    updated_at: z.iso.datetime().describe('When it was last stored.'),
    anomalies: z.int().min(0).describe('Impossible transitions found so far.'),
  })
  .meta({ id: 'MachineState', description: 'A machine’s state of a subject, without its content.' });

export type MachineView = z.infer<typeof machineSchema>;

export function machineView(state: MachineState): MachineView {
  return {
    machine: state.machine,
    source: state.source,
    subject: subjectName(state.subject),
    phases: [...phasesOf(state.state)],
    version: state.version,
    last_event_id: state.lastEventId,
    revision: state.revision,
    updated_at: instantText(state.updatedAt),
    anomalies: state.anomalies,
  };
}

const anomalySchema = z
  .object({
    event_id: z.string().describe('The event that caused it.'),
    message: z
      .string()
      .describe(
        'What is impossible, as the machine reports it, with likely personal data replaced unless unmasked.',
      ),
  })
  .meta({ id: 'Anomaly', description: 'An impossible transition.' });

export const machineDetailSchema = machineSchema
  .omit({ anomalies: true })
  .extend({
    state: z
      .unknown()
      .describe('The machine’s state, with fields named like personal data masked when `masked`.'),
    masked: z.boolean().describe('Whether `state` and the anomalies are masked.'),
    anomalies: z
      .array(anomalySchema)
      .describe('Impossible transitions found so far, the latest 1,000 at most.'),
  })
  .meta({ id: 'MachineDetail', description: 'A machine’s state of a subject.' });

export type MachineDetailView = z.infer<typeof machineDetailSchema>;

export function machineDetailView(
  state: MachineState,
  anomalies: readonly Anomaly[],
  masking: Masking,
): MachineDetailView {
  const { unmask, contract } = masking;
  return {
    ...machineView(state),
    state: unmask ? state.state : maskByName(state.state, contract),
    masked: !unmask,
    anomalies: anomalies.map(({ eventId, message }) => ({
      event_id: eventId,
      message: errorText(message, masking),
    })),
  };
}

/**
 * Masks a machine's state. Its shape is unknown, so fields are masked by name:
 * names that are personal data in a kind of the contract, in snake_case or
 * camelCase (`sign_url`, `signUrl`), with everything below them.
 */
export function maskByName(value: JsonValue, contract: Pick<Contract, 'personalNames'>): JsonValue {
  return maskNames(value, new Set([...contract.personalNames].map(plainName)));
}

function maskNames(value: JsonValue, personal: ReadonlySet<string>): JsonValue {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((item) => maskNames(item as JsonValue, personal));
  return Object.fromEntries(
    Object.entries(value).map(([name, member]: [string, JsonValue]) => [
      name,
      personal.has(plainName(name)) ? maskAll(member) : maskNames(member, personal),
    ]),
  );
}

/** `sign_url`, `signUrl` and `signurl` are the same name. */
function plainName(name: string): string {
  return name.replaceAll(/\W|_/gu, '').toLowerCase();
}
