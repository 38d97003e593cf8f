import { expect, test, vi } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/kernel/time/durations.ts';
import { addAnttViolation } from '../antt-violations/change-antt-violation.ts';
import { addCharge } from '../charges/change-charge.ts';
import {
  addTrafficViolation,
  moveTrafficViolation,
  type NewTrafficViolation,
} from '../traffic-violations/change-traffic-violation.ts';
import { newWebhooksOf } from './kit/new-webhooks.ts';
import { company } from './kit/people.ts';
import { openWithScenario } from './kit/scenario-setup.ts';
import type { Json } from './kit/test-provider.ts';
import { speeding } from './kit/violation-setup.ts';

/** On Tuesday, 2026-03-10, 09:00; the day is over fifteen hours later. */
const TO_MIDNIGHT = 15 * HOUR_MS;
const pending = { ...speeding, status: 'pending' } as const;

async function openWithCompany() {
  const setup = await openWithScenario();
  const { ours, provider } = setup;
  await ours.post('/v1/companies', company);
  const add = (count: number, due_date: string, more: Partial<NewTrafficViolation> = {}) =>
    provider.change(ours.organization, async (change) => {
      for (let at = 0; at < count; at += 1) {
        await addTrafficViolation(change, { ...pending, company_id: 1, due_date, ...more });
        await addAnttViolation(change, {
          company_id: 1,
          type: 'rntrc',
          status: 'pending',
          amount: 5,
          due_date,
        });
        await addCharge(change, { company_id: 1, type: 'fee', status: 'pending', amount: 9, due_date });
      }
    });
  return {
    ...setup,
    add,
    /** The webhooks of violations and charges since the last call. */
    newWebhooks: newWebhooksOf(ours, ({ type }) => /^(traffic-|antt-)?(violation|charge)/u.test(type)),
  };
}

type Setup = Awaited<ReturnType<typeof openWithCompany>>;

const families = [
  ['/v1/traffic-violations', 'traffic-violation.updated'],
  ['/v1/antt/violations', 'antt-violation.updated'],
  ['/v1/charges', 'charge.updated'],
] as const;

async function statuses({ ours }: Setup, path: string) {
  const { rows } = await ours.get(`${path}?pagination[size]=100`);
  return rows.map(({ status }) => String(status));
}

const count = (all: readonly string[], status: string) => all.filter((each) => each === status).length;

test.each(families)(
  '%s: until its last day is over it is pending or paid, then overdue',
  async (path, event) => {
    const setup = await openWithCompany();
    const { add, newWebhooks, pass } = setup;
    await add(40, '2026-03-11');
    await newWebhooks();
    await pass(TO_MIDNIGHT - 1);
    expect(await newWebhooks()).toEqual([]);

    await pass(1);
    const onLastDay = await statuses(setup, path);
    const paid = count(onLastDay, 'paid');
    expect(paid).toBeGreaterThan(5);
    expect(paid).toBeLessThan(30);
    expect(count(onLastDay, 'pending')).toBe(40 - paid);

    await pass(1 * DAY_MS);
    expect(count(await statuses(setup, path), 'overdue')).toBe(40 - paid);
    const events = (await newWebhooks()).filter(({ type }) => type === event);
    expect(events.map(({ data }) => data['status'])).toEqual([
      ...Array<string>(paid).fill('paid'),
      ...Array<string>(40 - paid).fill('overdue'),
    ]);
  },
);

test.each(families)('%s: of what is overdue some is paid late, and nothing happens twice', async (path) => {
  const setup = await openWithCompany();
  const { add, newWebhooks, pass } = setup;
  await add(40, '2026-03-09');
  await pass(TO_MIDNIGHT);
  expect(new Set(await statuses(setup, path))).toEqual(new Set(['overdue']));

  await pass(20 * DAY_MS);

  const later = await statuses(setup, path);
  expect(count(later, 'paid')).toBeGreaterThan(3);
  expect(count(later, 'paid') + count(later, 'overdue')).toBe(40);
  await newWebhooks();
  await pass(30 * DAY_MS);
  expect((await newWebhooks()).filter(({ data }) => data['status'] !== 'overdue')).toEqual([]);
  expect(await statuses(setup, path)).toEqual(later);
});

test('more than fits one batch is dealt with at the same midnight', async () => {
  const setup = await openWithCompany();
  await setup.add(250, '2026-03-09');

  await setup.pass(TO_MIDNIGHT + 1);

  for (const [path] of families) {
    const { body } = await setup.ours.get(`${path}?filters[status][$eq]=overdue`);
    expect(body['total']).toBe(250);
  }
});

test('what was decided otherwise before stays so', async () => {
  const setup = await openWithCompany();
  const { ours, provider, add, pass } = setup;
  await add(2, '2026-03-10');
  await provider.change(ours.organization, (change) => moveTrafficViolation(change, 1, 'suspended'));

  await pass(2 * DAY_MS);

  expect(await statuses(setup, '/v1/traffic-violations')).toEqual(['suspended', 'overdue']);
});

test('nights that passed while nothing ran are made up for at once', async () => {
  const setup = await openWithCompany();
  const { add, scenario, pass } = setup;
  await add(30, '2026-03-12');
  scenario.pause();
  await pass(4 * DAY_MS);
  expect(new Set(await statuses(setup, '/v1/charges'))).toEqual(new Set(['pending']));

  scenario.resume();
  await pass(1 * MINUTE_MS);

  const late = await statuses(setup, '/v1/charges');
  expect(count(late, 'paid')).toBeGreaterThan(3);
  expect(count(late, 'overdue')).toBe(30 - count(late, 'paid'));
});

test('the daily tasks use their indexes', async () => {
  const setup = await openWithCompany();
  const { provider, add, pass } = setup;
  await add(1, '2026-05-11');
  const prepared = vi.spyOn(provider.sqlite, 'prepare');
  await pass(TO_MIDNIGHT);
  const queries = new Set(
    prepared.mock.calls.map(([sql]) => sql).filter((sql) => sql.includes('select id from (select')),
  );
  prepared.mockRestore();

  expect(queries.size).toBe(10);
  for (const sql of queries) {
    const plan = provider.sqlite
      .prepare<unknown[], { detail: string }>(`explain query plan ${sql}`)
      .all(...Array.from({ length: sql.split('?').length - 1 }, () => 1))
      .map(({ detail }) => detail)
      .filter((detail) => /^(SEARCH|SCAN) \w/u.test(detail) && !detail.includes('subquery'));
    expect(plan.length).toBeGreaterThan(0);
    for (const detail of plan)
      expect(detail).toMatch(
        /^SEARCH \w+ USING (COVERING )?INDEX \w+_(falling_due|open_for_\w+|by_due_date)/u,
      );
  }
});

test('the same seed and the same records have the same outcomes', async () => {
  async function play() {
    const setup = await openWithCompany();
    await setup.add(30, '2026-03-11');
    await setup.pass(20 * DAY_MS);
    return setup.newWebhooks();
  }

  expect(await play()).toEqual(await play());
});

const open = { payable: 1, status: 'citation', due_date: '2026-05-11' } as const;
const discounts = ({ data }: { readonly data: Json }) => {
  const { full, partial } = data['ticket_discount_availability'] as Json;
  return [data['indication_availability'], full, partial];
};

test.each([
  ['indication_deadline', '2026-03-10', [false, true, true]],
  ['preliminary_appeal_deadline', '2026-03-10', [true, false, true]],
  ['due_date', '2026-03-10', [true, false, false]],
] as const)('with %s, what it was the last day of is over, in one webhook', async (name, day, left) => {
  const { ours, provider, newWebhooks, pass } = await openWithCompany();
  await provider.change(ours.organization, (change) =>
    addTrafficViolation(change, { ...speeding, ...open, company_id: 1, [name]: day }),
  );
  expect((await newWebhooks()).map(discounts)).toEqual([[true, true, true]]);

  await pass(TO_MIDNIGHT - 1);
  expect(await newWebhooks()).toEqual([]);
  await pass(1);

  const events = await newWebhooks();
  expect(events.map(({ type }) => type)).toEqual(['traffic-violation.updated']);
  expect(events.map(discounts)).toEqual([left]);
  await pass(3 * DAY_MS);
  expect(await newWebhooks()).toEqual([]);
});

test('what becomes overdue says with that what else is over', async () => {
  const { add, newWebhooks, pass } = await openWithCompany();
  const day = '2026-03-10';
  await add(1, day, { indication_deadline: day, preliminary_appeal_deadline: day });
  await newWebhooks();

  await pass(TO_MIDNIGHT);

  const events = (await newWebhooks()).filter(({ type }) => type.startsWith('traffic-violation'));
  expect(events).toMatchObject([{ data: { status: 'overdue', indication_availability: false } }]);
  expect(events.map(discounts)).toEqual([[false, false, false]]);
});
