import type { JsonObject } from '../kernel/json/json.ts';
import { instantOf } from './instant-of.ts';
import { ordered } from './version-rule.ts';

/** Steps are tried five times at most; the room is for senders that count otherwise. */
const HIGHEST_ATTEMPT = 999;

/** The steps as a login goes through them (specification, Shared enumerations). */
const STEPS = ['credentials', 'username', 'password', 'certificate', 'otp', 'completed'];

/**
 * Of login events: when they happened. At the same instant an attempt starts,
 * goes through its steps and each step's tries in their order, and ends
 * (specification, Events, Login attempt payload fields). Tries count within
 * their step: the first access code comes after the third password.
 */
export function byOccurrence(kind: string, data: JsonObject): string | null {
  const occurredAt = instantOf(data, 'occurred_at');
  if (occurredAt === null) return null;
  if (kind.endsWith('.started')) return ordered(occurredAt, '0', stepText(null), triesText(0));
  if (kind.endsWith('.step.updated'))
    return ordered(occurredAt, '1', stepText(data['step']), triesText(data['attempt']));
  return ordered(occurredAt, '2', stepText(null), triesText(0));
}

/** 0 for none. */
function stepText(step: unknown): string {
  return String(typeof step === 'string' ? STEPS.indexOf(step) + 1 : 0);
}

function triesText(attempt: unknown): string {
  const tries = typeof attempt === 'number' ? Math.min(Math.max(Math.trunc(attempt), 0), HIGHEST_ATTEMPT) : 0;
  return String(tries).padStart(String(HIGHEST_ATTEMPT).length, '0');
}
