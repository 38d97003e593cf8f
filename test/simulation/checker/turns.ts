/** Of a handler without order, what has been due for longest starts first. */
import type { Breakers } from './breakers.ts';
import type { Call } from './calls.ts';
import type { Identity } from './identity.ts';
import type { Rows } from './rows.ts';
import { violated } from './violation.ts';

/** Milliseconds after which a pause that has ended keeps nothing any more. */
const SETTLED_MS = 2_000;

interface Queue {
  readonly rows: Rows;
  readonly identity: Identity;
  readonly breakers: Breakers;
  /** How often the wall clock has jumped. */
  readonly jumps: number;
  readonly pausedAt: number;
}

/** Asked of first attempts alone: others may have come back, or were let through as probes. */
export function requireTurn(queue: Queue, call: Call): void {
  const { rows, identity, breakers, jumps, pausedAt } = queue;
  const sent = identity.events[call.event - 1]?.sent;
  if (call.handler !== 'loose' || call.attempt > 1 || call.nth > 1 || call.isReplay || jumps > 0) return;
  if (sent?.entry !== undefined || breakers.wasOpen(call.handler)) return;
  const from = sent?.at ?? 0;
  if (from <= pausedAt + SETTLED_MS) return;
  const [earlier] =
    rows.select?.<{ id: number; dueAt: number }>(
      `select id, due_at as "dueAt" from deliveries where handler = 'loose' and head = 1 and due_at < ?
        and attempts = 0 and cut_short = 0 order by due_at limit 1`,
      from,
    ) ?? [];
  if (earlier !== undefined)
    throw violated('turns', `${call.delivery} came at ${from} and runs before d${earlier.id}`, earlier);
}
