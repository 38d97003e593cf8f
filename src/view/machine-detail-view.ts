import { z } from 'zod';
import type { Anomaly, MachineState } from '../store/machine-states.ts';
import { machineSchema, machineView } from './machine-view.ts';
import { maskByName } from './mask-by-name.ts';
import type { Unmasking } from './unmasking.ts';

const anomalySchema = z
  .object({
    event_id: z.string().describe('The event that brought it about.'),
    message: z.string().describe('What is impossible, in the machine’s words.'),
  })
  .meta({ id: 'Anomaly', description: 'An impossible move.' });

export const machineDetailSchema = machineSchema
  .omit({ anomalies: true })
  .extend({
    state: z
      .unknown()
      .describe('What the machine knows, with fields named like personal data masked when `masked`.'),
    masked: z.boolean().describe('Whether `state` is masked.'),
    anomalies: z.array(anomalySchema).describe('Impossible moves found so far, the latest 1,000 at most.'),
  })
  .meta({ id: 'MachineDetail', description: 'What a machine knows of a subject.' });

export type MachineDetailView = z.infer<typeof machineDetailSchema>;

export function machineDetailView(
  state: MachineState,
  anomalies: readonly Anomaly[],
  { unmask }: Unmasking,
): MachineDetailView {
  return {
    ...machineView(state),
    state: unmask ? state.state : maskByName(state.state),
    masked: !unmask,
    anomalies: anomalies.map(({ eventId, message }) => ({ event_id: eventId, message })),
  };
}
