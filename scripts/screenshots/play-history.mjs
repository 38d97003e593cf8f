/** The webhooks of the day that the pictures of the console show. */
import { readFileSync } from 'node:fs';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const CHARGES = 24;

/**
 * A day of webhooks, the same each time.
 *
 * @param {object} to
 * @param {(before: number) => Promise<void>} to.setTime milliseconds before the pictures
 * @param {(envelope: unknown) => Promise<void>} to.post
 * @returns {Promise<void>}
 */
export async function playHistory({ setTime, post }) {
  for (let number = 1; number <= CHARGES; number += 1) {
    await setTime(24 * HOUR - number * 55 * MINUTE);
    await post(event('charge.created', { id: number, amount: 100 + number * 17, status: 'pending' }));
    if (number % 3 === 0) await post(event('traffic-violation.created', { id: 400 + number }));
    if (number % 5 === 0) await post(event('charge.updated', { id: number, amount: 100, status: 'paid' }));
  }
  // A company whose changes arrive late, twice, and in another order.
  const changes = /** @type {const} */ ([
    ['Transportes Serra Azul', '09:00'],
    ['Serra Azul Logística', '11:30'],
    ['Serra Azul Transportes', '10:15'],
    ['Serra Azul Logística', '11:30'],
    ['Serra Azul Logística S.A.', '14:05'],
  ]);
  for (const [at, [name, time]] of changes.entries()) {
    await setTime((8 - at) * HOUR);
    await post(event('company.updated', { id: 12, name, updated_at: `2026-03-10T${time}:00Z` }));
  }
  await setTime(90 * MINUTE);
  for (const line of scenario('login-failing-at-otp')) await post(JSON.parse(line));
  await setTime(25 * MINUTE);
  for (const amount of ['12.5', 'doze'])
    await post(event('charge.updated', { id: 7, amount, status: 'pending' }));
  await setTime(10 * MINUTE);
  for (const id of [31, 32, 33])
    await post(event('charge.created', { id, amount: 950 + id, status: 'pending' }));
  await setTime(4 * MINUTE);
  await post(event('charge.updated', { id: 33, amount: 1_204.5, status: 'overdue' }));
  await setTime(0);
}

/**
 * @param {string} type
 * @param {object} changes
 */
function event(type, changes) {
  const { data } = JSON.parse(
    readFileSync(new URL(`../../fixtures/events/${type}.json`, import.meta.url), 'utf8'),
  );
  return { type, data: { ...data, ...changes } };
}

/** @param {string} name */
function scenario(name) {
  return readFileSync(new URL(`../../fixtures/scenarios/${name}.ndjson`, import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '');
}
