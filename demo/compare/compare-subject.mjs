import { isDeepStrictEqual } from 'node:util';
import { families } from './families.mjs';
import { expectedState } from './expected-state.mjs';
import { latestOf } from './received.mjs';

/**
 * How a subject stands on both sides.
 *
 * - `equal`
 * - `silenced` the record went on while its user's link was inactive, when nothing is told (specification, Webhook
 *   envelope); the receiver knows what was told last
 * - `withheld` the service does not show it, for the same reason (403); the receiver knows what was told last
 * - `removed` with its user, of which nothing tells; the receiver knows what was told last
 * - `overtaken` an older state arrived last, and nothing in it says that it is older; the newer is stored, too
 * - `different` a defect
 *
 * @typedef {'equal' | 'silenced' | 'withheld' | 'removed' | 'overtaken' | 'different'} Standing
 *
 * @typedef {object} Comparison
 * @property {string} subject
 * @property {import('./families.mjs').Family} family
 * @property {Standing} standing
 * @property {string} [reason] of a difference
 *
 * @typedef {object} Sides
 * @property {import('./outbox.mjs').Told} told
 * @property {import('./received.mjs').Received | undefined} received
 * @property {any} state of the family's machine
 * @property {Readonly<Record<string, any>> | undefined} record as the service shows it
 * @property {'removed' | 'withheld' | null} absent why it does not
 * @property {boolean} wasInactive whether its user's link was inactive at some time
 */

/** @typedef {Pick<Comparison, 'standing' | 'reason'>} Result */

/**
 * @param {Sides} sides
 * @returns {Comparison}
 */
export function compareSubject(sides) {
  const { subject, family } = sides.told;
  const result = lossOf(sides) ?? departureFromTold(sides) ?? standingOf(sides);
  return { subject, family, ...result };
}

/**
 * Whatever was told is stored.
 *
 * @param {Sides} sides
 * @returns {Result | null}
 */
function lossOf({ told, received }) {
  if (received === undefined) return different('the receiver knows nothing of it');
  const ids = new Set(received.events.map(({ messageId }) => messageId));
  const missing = told.events.filter(({ messageId }) => !ids.has(messageId));
  if (missing.length === 0) return null;
  const types = missing.map(({ type }) => type).join(', ');
  return different(`${missing.length} of ${told.events.length} webhooks are not stored: ${types}`);
}

/**
 * What the receiver takes for the latest is what the service told last.
 *
 * @param {Sides} sides
 * @returns {Result | null} null when it is
 */
function departureFromTold({ told, received, state }) {
  const { comparable, isOrdered } = families[told.family];
  const last = told.events.at(-1);
  if (received === undefined || last === undefined || comparable === null) return null;
  const latest = latestOf(received);
  if (isDeepStrictEqual(latest.data, last.data)) {
    const wrong = stateDifference(told, last.data, state);
    return wrong === null ? null : different(wrong);
  }
  if (!isOrdered && received.events.some(({ data }) => isDeepStrictEqual(data, last.data)))
    return { standing: 'overtaken' };
  const fields = fieldsThatDiffer(latest.data, last.data);
  return different(`its latest is ${latest.kind} (${latest.id}); what was told last differs in ${fields}`);
}

/**
 * @param {Sides} sides
 * @returns {Result}
 */
function standingOf({ told, received, state, record, absent, wasInactive }) {
  const { comparable } = families[told.family];
  const last = told.events.at(-1);
  if (last?.type.endsWith('.deleted'))
    return absent === 'removed'
      ? { standing: 'equal' }
      : different('it was told to be deleted, and is there');
  if (absent !== null) return { standing: absent };
  if (record === undefined || received === undefined) return different('its record cannot be read');
  const differs =
    (comparable === null ? null : recordDifference(comparable, latestOf(received).data, record)) ??
    stateDifference(told, record, state);
  if (differs === null) return { standing: 'equal' };
  return wasInactive ? { standing: 'silenced' } : different(differs);
}

/**
 * @param {(record: import('./families.mjs').Data) => import('./families.mjs').Data} comparable
 * @param {import('./families.mjs').Data} known
 * @param {import('./families.mjs').Data} record
 */
function recordDifference(comparable, known, record) {
  const [ours, theirs] = [comparable(known), comparable(record)];
  if (isDeepStrictEqual(ours, theirs)) return null;
  return `its record differs in ${fieldsThatDiffer(ours, theirs)}`;
}

/**
 * @param {import('./outbox.mjs').Told} told
 * @param {import('./families.mjs').Data} record
 * @param {any} state
 */
function stateDifference(told, record, state) {
  const expected = expectedState(told, record);
  if (expected === null) return null;
  if (state === undefined) return 'its machine has no state';
  const wrong = Object.entries(expected).filter(([name, value]) => state[name] !== value);
  if (wrong.length === 0) return null;
  const texts = wrong.map(([name, value]) => `${name} is ${state[name]}, not ${String(value)}`);
  return `of its machine ${texts.join(', ')}`;
}

/**
 * @param {import('./families.mjs').Data} one
 * @param {import('./families.mjs').Data} other
 */
function fieldsThatDiffer(one, other) {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].filter((name) => !isDeepStrictEqual(one[name], other[name])).join(', ');
}

/**
 * @param {string} reason
 * @returns {Result}
 */
function different(reason) {
  return { standing: 'different', reason };
}
