/** The dispatcher, as API and console show it. */
import { z } from 'zod';
import { instantText } from './instant-text.ts';
import { errorText, type Unmasking } from './payload/unmasking.ts';

export const dispatchSchema = z
  .object({
    running: z.int().min(0).describe('Deliveries in flight.'),
    open_breakers: z
      .array(
        z.object({
          handler: z.string().describe('The delivery’s handler name.'),
          until: z.iso.datetime().describe('When one event probes it.'),
          reason: z
            .string()
            .describe('Its last failure, with likely personal data replaced unless unmasked.'),
        }),
      )
      .describe('Handlers whose circuit breaker is open: their events wait.'),
  })
  .meta({ id: 'Dispatch', description: 'The dispatcher of this process.' });

export type DispatchView = z.infer<typeof dispatchSchema>;

/** The status of a dispatcher. */
export interface DispatchStatus {
  readonly running: number;
  /** `untilMs` in milliseconds since 1970. */
  readonly openBreakers: readonly {
    readonly handler: string;
    readonly untilMs: number;
    readonly reason: string;
  }[];
}

export function dispatchView({ running, openBreakers }: DispatchStatus, unmasking: Unmasking): DispatchView {
  return {
    running,
    open_breakers: openBreakers.map(({ handler, untilMs, reason }) => ({
      handler,
      until: instantText(untilMs),
      reason: errorText(reason, unmasking),
    })),
  };
}
