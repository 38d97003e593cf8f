import { z } from 'zod';
import { instantText } from './instant-text.ts';

export const dispatchSchema = z
  .object({
    running: z.int().min(0).describe('Deliveries that handlers have in hand.'),
    paused: z
      .array(
        z.object({
          handler: z.string().describe('The delivery’s handler name.'),
          until: z.iso.datetime().describe('When it is tried again with one event.'),
          reason: z.string().describe('Its last failure.'),
        }),
      )
      .describe('Handlers that keep failing: their events wait.'),
  })
  .meta({ id: 'Dispatch', description: 'What the dispatcher of this process does.' });

export type DispatchView = z.infer<typeof dispatchSchema>;

/** What a dispatcher tells of itself. */
export interface DispatchStatus {
  readonly running: number;
  /** `untilMs` in milliseconds since 1970. */
  readonly paused: readonly { readonly handler: string; readonly untilMs: number; readonly reason: string }[];
}

export function dispatchView({ running, paused }: DispatchStatus): DispatchView {
  return {
    running,
    paused: paused.map(({ handler, untilMs, reason }) => ({ handler, until: instantText(untilMs), reason })),
  };
}
