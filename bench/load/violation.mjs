import { readFileSync } from 'node:fs';

/** Bytes of every body, about that of a traffic violation with all its fields. */
export const BODY_BYTES = 1_250;

/** Ten digits: bodies keep their length, and numbers stay far below 2^53. */
export const FIRST_ID = 1_000_000_000;

const PLACE = 4_242_424_242;

/** A traffic violation around its id: distinct ids make distinct events of distinct subjects. */
export const [beforeId, afterId] = template();

/** @param {number} id ten digits */
export function violation(id) {
  return `${beforeId}${String(id)}${afterId}`;
}

/**
 * As little as a traffic violation can say.
 *
 * @param {number} id ten digits
 */
export function shortViolation(id) {
  return JSON.stringify({ type: 'traffic-violation.created', data: { id, status: 'citation' } });
}

/** @returns {[string, string]} */
function template() {
  const fixture = new URL('../../fixtures/events/traffic-violation.created.json', import.meta.url);
  const event = JSON.parse(readFileSync(fixture, 'utf8'));
  event.data.id = PLACE;
  // Optional, and too much for the size; a free text takes what is then missing.
  delete event.data.ticket_discount_availability;
  const missing = BODY_BYTES - Buffer.byteLength(JSON.stringify(event));
  event.data.location += '.'.repeat(missing);
  const [before = '', after = ''] = JSON.stringify(event).split(String(PLACE));
  return [before, after];
}
