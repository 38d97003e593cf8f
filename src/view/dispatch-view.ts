/** The dispatcher, as API and console show it. */
import { z } from 'zod';
import type { RateStates } from '../store/rates.ts';
import { instantText } from './instant-text.ts';
import { errorText, type Unmasking } from './payload/unmasking.ts';

export const ratesSchema = z
  .object({
    waiting: z
      .array(
        z.object({
          handler: z.string().describe('The delivery’s handler name.'),
          lanes: z.int().min(0).describe('So many lanes wait, at most 1,000 are counted.'),
          until: z.iso.datetime().describe('When the first of them may go on.'),
        }),
      )
      .describe('Handlers whose lanes wait for their rate.'),
    closed: z
      .array(
        z.object({
          bucket: z.string().describe('The handler, the machine, or `rate:<name>` for a shared one.'),
          until: z.iso.datetime().describe('When it opens; of several keys, the last one.'),
        }),
      )
      .describe('Rates whose target has asked for a pause.'),
  })
  .describe('Limits of what handlers call.');

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
    rates: ratesSchema,
  })
  .meta({ id: 'Dispatch', description: 'The dispatcher of this process.' });

export type DispatchView = z.infer<typeof dispatchSchema>;

/** The status of a dispatcher. */
export interface DispatchStatus {
  readonly running: number;
  /** Deliveries that may run at a time. */
  readonly places: number;
  /** `untilMs` in milliseconds since 1970. */
  readonly openBreakers: readonly {
    readonly handler: string;
    readonly untilMs: number;
    readonly reason: string;
  }[];
}

export function dispatchView(
  { running, openBreakers, rates }: DispatchStatus & { readonly rates: RateStates },
  unmasking: Unmasking,
): DispatchView {
  return {
    running,
    rates: ratesView(rates),
    open_breakers: openBreakers.map(({ handler, untilMs, reason }) => ({
      handler,
      until: instantText(untilMs),
      reason: errorText(reason, unmasking),
    })),
  };
}

export function ratesView({ waiting, closed }: RateStates): DispatchView['rates'] {
  const shown = <Row extends { readonly until: number }>(row: Row) => ({
    ...row,
    until: instantText(row.until),
  });
  return { waiting: waiting.map(shown), closed: closed.map(shown) };
}
