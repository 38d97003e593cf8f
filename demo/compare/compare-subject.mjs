import { isDeepStrictEqual } from 'node:util';
import { families } from './families.mjs';
import { expectedState } from './expected-state.mjs';
import { latestOf } from './received.mjs';

/**
 * The outcome of comparing a subject. In all but the last, the receiver has every
 * webhook, and its latest event is the last one that was sent.
 *
 * - `equal`
 * - `silenced`: the record changed while its user's link was inactive, when no webhooks are sent (specification,
 *   Webhook envelope)
 * - `withheld`: the provider does not show the record, for the same reason (403)
 * - `removed`: the record was removed with its user, for which no webhook is sent
 * - `overtaken`: an older state arrived last, without a version; the newer one is stored, too
 * - `different`: a defect
 *
 * @typedef {'equal' | 'silenced' | 'withheld' | 'removed' | 'overtaken' | 'different'} Outcome
 *
 * @typedef {object} Comparison
 * @property {string} subject
 * @property {import('./families.mjs').Family} family
 * @property {Outcome} outcome
 * @property {string} [reason] set for `different`
 *
 * @typedef {object} Sides
 * @property {import('./outbox.mjs').SentSubject} sent
 * @property {import('./received.mjs').Received | undefined} received
 * @property {any} state the machine's
 * @property {Readonly<Record<string, any>> | undefined} record the provider's record
 * @property {'removed' | 'withheld' | null} absent why there is no record
 * @property {boolean} wasInactive whether its user's link was inactive during the day
 */

/** @typedef {Pick<Comparison, 'outcome' | 'reason'>} Result */

/**
 * @param {Sides} sides
 * @returns {Comparison}
 */
export function compareSubject(sides) {
  const { subject, family } = sides.sent;
  const result = lostWebhooks(sides) ?? differenceFromSent(sides) ?? outcomeOf(sides);
  return { subject, family, ...result };
}

/**
 * Checks that every webhook is stored.
 *
 * @param {Sides} sides
 * @returns {Result | null}
 */
function lostWebhooks({ sent, received }) {
  if (received === undefined) return different('the receiver does not have it');
  const ids = new Set(received.events.map(({ messageId }) => messageId));
  const missing = sent.events.filter(({ messageId }) => !ids.has(messageId));
  if (missing.length === 0) return null;
  const types = missing.map(({ type }) => type).join(', ');
  return different(`${missing.length} of ${sent.events.length} webhooks are not stored: ${types}`);
}

/**
 * Checks that the receiver's latest event is the last one that was sent.
 *
 * @param {Sides} sides
 * @returns {Result | null} null if it is
 */
function differenceFromSent({ sent, received, state }) {
  const { comparable, isOrdered } = families[sent.family];
  const last = sent.events.at(-1);
  if (received === undefined || last === undefined || comparable === null) return null;
  const latest = latestOf(received);
  if (isDeepStrictEqual(latest.data, last.data)) {
    const wrong = stateDifference(sent, last.data, state);
    return wrong === null ? null : different(wrong);
  }
  if (!isOrdered && received.events.some(({ data }) => isDeepStrictEqual(data, last.data)))
    return { outcome: 'overtaken' };
  const fields = fieldsThatDiffer(latest.data, last.data);
  return different(`its latest is ${latest.kind} (${latest.id}); the last webhook differs in ${fields}`);
}

/**
 * @param {Sides} sides
 * @returns {Result}
 */
function outcomeOf({ sent, received, state, record, absent, wasInactive }) {
  const { comparable } = families[sent.family];
  const last = sent.events.at(-1);
  if (last?.type.endsWith('.deleted'))
    return absent === 'removed'
      ? { outcome: 'equal' }
      : different('its deletion was sent, but the record exists');
  if (absent !== null) return { outcome: absent };
  if (record === undefined || received === undefined) return different('its record cannot be read');
  const differs =
    (comparable === null ? null : recordDifference(comparable, latestOf(received).data, record)) ??
    stateDifference(sent, record, state);
  if (differs === null) return { outcome: 'equal' };
  return wasInactive ? { outcome: 'silenced' } : different(differs);
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
 * @param {import('./outbox.mjs').SentSubject} sent
 * @param {import('./families.mjs').Data} record
 * @param {any} state
 */
function stateDifference(sent, record, state) {
  const expected = expectedState(sent, record);
  if (expected === null) return null;
  if (state === undefined) return 'its machine has no state';
  const wrong = Object.entries(expected).filter(([name, value]) => state[name] !== value);
  if (wrong.length === 0) return null;
  const texts = wrong.map(([name, value]) => `${name} is ${state[name]}, not ${String(value)}`);
  return `its machine differs: ${texts.join(', ')}`;
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
  return { outcome: 'different', reason };
}
