/** Running processes, as views show them. */
import { z } from 'zod';
import type { RunningProcess } from '../store/processes.ts';
import { instantText } from './instant-text.ts';

export const processSchema = z
  .object({
    host: z.string().describe('The name of its machine or container.'),
    pid: z.int().describe('Its process id there.'),
    version: z.string().nullable().describe('The version of Portaria; null until it has recorded itself.'),
    started_at: z.iso.datetime().nullable().describe('When it began to run deliveries; null if unknown.'),
    seen_at: z.iso
      .datetime()
      .nullable()
      .describe('Its last heartbeat; null in an SQLite file, whose only process needs none.'),
    leads: z.boolean().describe('Whether it does the periodic work, such as retention and alerts.'),
    in_flight: z.int().min(0).describe('Deliveries that it has claimed and not ended.'),
  })
  .meta({ id: 'Process', description: 'A process that runs deliveries.' });

/** The end of the year 9999: ISO 8601 writes no later instant in its usual form. */
const LAST_INSTANT = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

export type ProcessView = z.infer<typeof processSchema>;

export function processView(process: RunningProcess): ProcessView {
  const { host, pid, version, startedAt, seenAt, leads, inFlight } = process;
  return {
    ...{ host, pid, version, leads, in_flight: inFlight },
    started_at: recordedInstant(startedAt),
    seen_at: recordedInstant(seenAt),
  };
}

/** Each process records its own times: one with a broken clock must not stop those that read them. */
function recordedInstant(milliseconds: number | null): string | null {
  const isUsable = milliseconds !== null && milliseconds >= 0 && milliseconds <= LAST_INSTANT;
  return isUsable ? instantText(milliseconds) : null;
}
