/** By which fields the events of each family are ordered. */
import type { JsonObject } from '../kernel/json/json.ts';
import type { Family } from './family.ts';
import { normalizeInstant } from './instant.ts';
import { loginStep } from './record/login.ts';

/** How the events of a family are ordered. Null when the payload lacks the field that orders it. */
export type VersionRule = (kind: string, data: JsonObject) => string | null;

/** No field orders these events: arrival does, and a return to an earlier content is ambiguous. */
const unversioned: VersionRule = () => null;

export const versionRules: Readonly<Record<Family, VersionRule>> = {
  company: byChangeTime('updated_at'),
  'company-login': byOccurrence,
  'user-login': byOccurrence,
  'console-user': byChangeTimeOrDeletion,
  'antt-violation': byChangeTime('synced_at'),
  'antt-violation-ticket': byChangeTime('updated_at'),
  'traffic-violation': unversioned,
  'traffic-violation-ticket': byChangeTime('updated_at'),
  'traffic-violation-indication': byChangeAndSignature,
  charge: unversioned,
  'charge-payment-slip': byChangeTime('updated_at'),
};

/** The fields whose instants order the events of each family; arrival orders those of the others. */
const orderingFields: Partial<Readonly<Record<Family, readonly string[]>>> = {
  company: ['updated_at'],
  'company-login': ['occurred_at'],
  'user-login': ['occurred_at'],
  'console-user': ['updated_at'],
  'antt-violation': ['synced_at'],
  'antt-violation-ticket': ['updated_at'],
  'traffic-violation-ticket': ['updated_at'],
  'traffic-violation-indication': ['updated_at', 'document_signed_at'],
  'charge-payment-slip': ['updated_at'],
};

/** Returns the fields that order the events of a family of the specification; empty when arrival does. */
export function orderingFieldsOf(family: string): readonly string[] {
  return Object.hasOwn(orderingFields, family) ? (orderingFields[family as Family] ?? []) : [];
}

/** Whether instants order the events of a family of the specification; false for any other family. */
export function isOrderedByInstants(family: string): boolean {
  return Object.hasOwn(versionRules, family) && versionRules[family as Family] !== unversioned;
}

/**
 * Returns the version of a change at an instant of fixed width. A record is often created and updated within one
 * second, the precision of its timestamps; created then comes before updated.
 */
export function changeVersion(instant: string, kind: string): string {
  return joined(instant, kind.endsWith('.created') ? '0' : '1');
}

/** Orders records by the time of their last change, which is in `field`. */
function byChangeTime(field: 'updated_at' | 'synced_at'): VersionRule {
  return (kind, data) => {
    const changedAt = instantIn(data, field);
    return changedAt === null ? null : changeVersion(changedAt, kind);
  };
}

/** Sorts after every instant, since instants begin with a digit. */
const TOMBSTONE = 'deleted';

/**
 * Orders records that can be deleted. A deletion comes after every other event of the record, also when its own
 * time is older than the last update, or absent. Later arrivals are stale.
 */
function byChangeTimeOrDeletion(kind: string, data: JsonObject): string | null {
  if (!kind.endsWith('.deleted')) return byChangeTime('updated_at')(kind, data);
  const changedAt = instantIn(data, 'updated_at');
  return changedAt === null ? TOMBSTONE : joined(TOMBSTONE, changedAt);
}

/**
 * Orders driver indications. An update of its own reports the signing of the document; it comes after the other
 * changes of that instant (specification, Events, Event kinds).
 */
function byChangeAndSignature(kind: string, data: JsonObject): string | null {
  const changed = byChangeTime('updated_at')(kind, data);
  // The empty string sorts before every instant.
  return changed === null ? null : joined(changed, instantIn(data, 'document_signed_at') ?? '');
}

/** The highest attempt number that orders. Attempts end at five; this leaves room for other counts. */
const MAX_ATTEMPT = 999;

/** The steps in the order of a login (specification, Shared enumerations). */
const STEPS: readonly string[] = loginStep.options;

/** Sorts before every digit. */
const SESSION_END = '-';

/**
 * Orders login events by the time at which they happened. At the same instant the previous session ends, then
 * an attempt starts, goes through its steps and the attempts of each step in order, and ends (specification,
 * Events, Login attempt payload fields). Attempts count within a step: the first access code comes after the
 * third password. An attempt that starts during a session ends it at the same instant.
 */
function byOccurrence(kind: string, data: JsonObject): string | null {
  const occurredAt = instantIn(data, 'occurred_at');
  if (occurredAt === null) return null;
  if (kind.endsWith('.started')) return joined(occurredAt, '0', stepRank(null), attemptRank(0));
  if (kind.endsWith('.step.updated'))
    return joined(occurredAt, '1', stepRank(data['step']), attemptRank(data['attempt']));
  const rank = kind.endsWith('.disconnected') ? SESSION_END : '2';
  return joined(occurredAt, rank, stepRank(null), attemptRank(0));
}

/** One digit; `0` without a step. A step that is not listed comes after those that are, and before the end. */
function stepRank(step: unknown): string {
  if (typeof step !== 'string') return '0';
  if (step === 'completed') return String(STEPS.length + 1);
  const index = STEPS.indexOf(step);
  return String(index === -1 ? STEPS.length : index + 1);
}

/** Three digits. */
function attemptRank(attempt: unknown): string {
  const rank = typeof attempt === 'number' ? Math.min(Math.max(Math.trunc(attempt), 0), MAX_ATTEMPT) : 0;
  return String(rank).padStart(String(MAX_ATTEMPT).length, '0');
}

/** Reads an instant in its fixed-width form; null when the field does not contain one. */
function instantIn(data: JsonObject, field: string): string | null {
  const value = data[field];
  return typeof value === 'string' ? normalizeInstant(value) : null;
}

/** Joins an instant and its tie-breakers. All parts but the last have a fixed width, so versions compare. */
function joined(instant: string, ...ties: readonly string[]): string {
  return [instant, ...ties].join('/');
}
