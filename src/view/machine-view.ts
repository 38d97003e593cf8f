import { z } from 'zod';
import { subjectName } from '../event/subject.ts';
import type { MachineState } from '../store/machine-states.ts';
import { instantText } from './instant-text.ts';

export const machineSchema = z
  .object({
    machine: z.string().describe('The machine’s name.'),
    source: z.string().describe('Where the subject’s events come from.'),
    subject: z.string().describe('Whose state it is, `family:id`.'),
    version: z.string().nullable().describe('The highest version folded in; null when none had one.'),
    last_event_id: z.string().describe('The last event folded in, by arrival.'),
    revision: z.int().min(1).describe('How often the state was stored.'),
    updated_at: z.iso.datetime().describe('When it was last stored.'),
    anomalies: z.int().min(0).describe('Impossible moves found so far.'),
  })
  .meta({ id: 'MachineState', description: 'That a machine knows a subject, without what it knows.' });

export type MachineView = z.infer<typeof machineSchema>;

export function machineView(state: MachineState): MachineView {
  return {
    machine: state.machine,
    source: state.source,
    subject: subjectName(state.subject),
    version: state.version,
    last_event_id: state.lastEventId,
    revision: state.revision,
    updated_at: instantText(state.updatedAt),
    anomalies: state.anomalies,
  };
}
