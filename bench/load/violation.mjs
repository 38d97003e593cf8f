import { readFileSync } from 'node:fs';

/** Bytes of every body: about the size of a traffic violation with all fields. */
export const BODY_BYTES = 1_250;

/** Ten digits, so that all bodies have the same length and ids stay below 2^53. */
export const FIRST_ID = 1_000_000_000;

const PLACE = 4_242_424_242;

/** The parts of a body before and after the id. Each id makes a new event of a new subject. */
export const [beforeId, afterId] = template();

/** @param {number} id ten digits */
export function violation(id) {
  return `${beforeId}${String(id)}${afterId}`;
}

/** Ten characters of the location, which a number replaces. */
const NUMBER_PLACE = 'Avenida Ma';

/**
 * One of many events of a subject, which differ in their text.
 *
 * @param {number} id ten digits
 * @param {number} number up to ten digits
 */
export function violationOf(id, number) {
  return violation(id).replace(NUMBER_PLACE, String(number).padStart(10, '0'));
}

/**
 * The smallest valid body of a traffic violation.
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
  // These optional fields exceed the size; a free text fills the rest.
  delete event.data.ticket_discount_availability;
  const missing = BODY_BYTES - Buffer.byteLength(JSON.stringify(event));
  event.data.location += '.'.repeat(missing);
  const [before = '', after = ''] = JSON.stringify(event).split(String(PLACE));
  return [before, after];
}
