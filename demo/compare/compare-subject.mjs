import { isDeepStrictEqual } from 'node:util';
import { families } from './families.mjs';
import { expectedState } from './expected-state.mjs';
import { latestOf } from './received.mjs';

/**
 * The outcome of comparing a subject. All but the last are explained by what the provider did.
 *
 * - `equal`
 * - `lost`: missed or behind, and the provider lost webhooks of it
 * - `unchecked`: the provider lost webhooks of it, and no list of the API tells what was in them
 * - `unsent`: the record is older than the receiver, so no webhook of it was sent
 * - `silenced`: the record changed while its user's link was inactive, when no webhooks are sent (specification,
 *   Webhook envelope)
 * - `withheld`: the provider does not show the record, for the same reason (403)
 * - `removed`: the record was removed with its user, for which no webhook is sent
 * - `disordered`: an older state arrived last, and the family has no version
 * - `different`: a defect
 *
 * @typedef {'equal' | 'lost' | 'unchecked' | 'unsent' | 'silenced' | 'withheld' | 'removed' | 'disordered'
 *   | 'different'} Outcome
 *
 * @typedef {object} Comparison
 * @property {string} subject
 * @property {import('./families.mjs').Family} family
 * @property {Outcome} outcome
 * @property {string} [reason] set for `different` and `lost`
 *
 * @typedef {{ readonly outcome: string, readonly fields: readonly { readonly path: string }[] }} Found a line of
 *   `portaria reconcile --json`
 *
 * @typedef {object} Sides
 * @property {string} subject
 * @property {import('./families.mjs').Family} family
 * @property {readonly import('./outbox.mjs').SentEvent[]} sent
 * @property {import('./received.mjs').Received | undefined} received
 * @property {Found | undefined} found undefined if the record does not differ, or has no list
 * @property {any} state the machine's
 * @property {boolean} wasInactive whether its user's link was inactive during the day
 */

/** @typedef {Pick<Comparison, 'outcome' | 'reason'>} Result */

/**
 * @param {Sides} sides
 * @returns {Comparison}
 */
export function compareSubject(sides) {
  const { subject, family } = sides;
  return { subject, family, ...(undelivered(sides) ?? stateDifference(sides) ?? outcomeOf(sides)) };
}

/** @param {Sides} sides */
function missingOf({ sent, received }) {
  const ids = new Set(received?.events.map(({ messageId }) => messageId));
  return sent.filter(({ messageId }) => !ids.has(messageId));
}

/**
 * Checks that every webhook is stored that was not lost.
 *
 * @param {Sides} sides
 * @returns {Result | null}
 */
function undelivered(sides) {
  const missing = missingOf(sides).filter(({ isLost }) => !isLost);
  if (missing.length === 0) return null;
  const types = missing.map(({ type }) => type).join(', ');
  return different(`${missing.length} of ${sides.sent.length} webhooks are not stored: ${types}`);
}

/**
 * Checks that the machine has the state that the stored events lead to.
 *
 * @param {Sides} sides
 * @returns {Result | null}
 */
function stateDifference(sides) {
  const { family, received, state } = sides;
  // What was lost may be what the rest builds on.
  if (received === undefined || (!families[family].isListed && missingOf(sides).length > 0)) return null;
  const expected = expectedState(family, received);
  if (expected === null) return null;
  if (state === undefined) return different('its machine has no state');
  const wrong = Object.entries(expected).filter(([name, value]) => state[name] !== value);
  if (wrong.length === 0) return null;
  const texts = wrong.map(([name, value]) => `${name} is ${state[name]}, not ${String(value)}`);
  return different(`its machine differs: ${texts.join(', ')}`);
}

/**
 * @param {Sides} sides
 * @returns {Result}
 */
function outcomeOf(sides) {
  const { family, sent, received, found, wasInactive } = sides;
  const lost = missingOf(sides);
  if (found === undefined)
    return { outcome: lost.length > 0 && !families[family].isListed ? 'unchecked' : 'equal' };
  const { outcome, fields } = found;
  // A removal has a webhook in some families, and it may be what was lost.
  const isTold = lost.some(({ type }) => type.endsWith('.deleted'));
  if (outcome === 'withheld' || (outcome === 'removed' && !isTold)) return { outcome };
  if (lost.length > 0)
    return { outcome: 'lost', reason: `${outcome}, without ${lost.map(({ type }) => type).join(', ')}` };
  if (outcome === 'missed' && sent.length === 0) return { outcome: 'unsent' };
  if (wasInactive) return { outcome: 'silenced' };
  const last = sent.at(-1);
  const isDisordered =
    !families[family].isOrdered &&
    received !== undefined &&
    last !== undefined &&
    !isDeepStrictEqual(latestOf(received).data, last.data);
  if (isDisordered) return { outcome: 'disordered' };
  return different(`its record is ${outcome}: ${fields.map(({ path }) => path).join(', ')}`);
}

/**
 * @param {string} reason
 * @returns {Result}
 */
function different(reason) {
  return { outcome: 'different', reason };
}
