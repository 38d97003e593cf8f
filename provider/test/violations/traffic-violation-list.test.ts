import { expect, test } from 'vitest';
import { addAgency } from '../../traffic-violations/change-traffic-violation.ts';
import { cpfs } from '../kit/people.ts';
import { agency, openWithViolation } from '../kit/violation-setup.ts';

test('lists violations by their filters', async () => {
  const { ours, provider, add } = await openWithViolation();
  await ours.post('/v1/users', { name: 'Outro', tax_id: cpfs[1] });
  await provider.change(ours.organization, (change) =>
    addAgency(change, { ...agency, code: '100', name: null }),
  );
  await add({
    agency_code: '100',
    user_id: 2,
    license_plate: 'RHT1A02',
    status: 'paid',
    date: '2026-02-22T01:42:00.500Z',
    due_date: '2026-01-31',
    offender_type: 'owner',
  });
  await add({
    company_id: null,
    user_id: null,
    agency_code: null,
    license_plate: null,
    date: null,
    offender_type: null,
  });
  const found = async (filter: string) => {
    const { status, rows } = await ours.get(`/v1/traffic-violations/?${filter}`);
    expect(status).toBe(200);
    return rows.map(({ id }) => id);
  };

  expect(await found('')).toEqual([1, 2, 3]);
  expect(await found('filters[due_date][$lt]=2026-05-11')).toEqual([2]);
  expect(await found('filters[due_date][$gte]=2026-05-11&filters[due_date][$lte]=2026-05-11')).toEqual([
    1, 3,
  ]);
  expect(await found('filters[license_plate][$eq]=BDT4F37')).toEqual([1]);
  expect(await found('filters[license_plate][$ne]=BDT4F37')).toEqual([2, 3]);
  expect(await found('filters[license_plate][$startsWith]=RH')).toEqual([2]);
  expect(await found('filters[license_plate][$endsWith]=F37')).toEqual([1]);
  expect(await found('filters[license_plate][$contains]=T1')).toEqual([2]);
  expect(await found('filters[status][$eq]=paid')).toEqual([2]);
  expect(await found('filters[status][$ne]=paid')).toEqual([1, 3]);
  expect(await found('filters[company][id][$eq]=1')).toEqual([1, 2]);
  expect(await found('filters[company][id][$ne]=1')).toEqual([3]);
  expect(await found('filters[company][external_uid][$eq]=matriz')).toEqual([1, 2]);
  expect(await found('filters[company][external_uid][$ne]=matriz')).toEqual([3]);
  expect(await found('filters[user][id][$eq]=2')).toEqual([2]);
  expect(await found('filters[user][id][$ne]=2')).toEqual([1, 3]);
  expect(await found('filters[user][external_uid][$eq]=motorista-1')).toEqual([1]);
  // User 2 has none, and the third violation no user.
  expect(await found('filters[user][external_uid][$ne]=motorista-1')).toEqual([2, 3]);
  expect(await found('filters[agency][code][$eq]=100')).toEqual([2]);
  expect(await found('filters[agency][code][$ne]=100')).toEqual([1, 3]);
  expect(await found('filters[offender_type][$eq]=owner')).toEqual([2]);
  expect(await found('filters[offender_type][$ne]=owner')).toEqual([1, 3]);
  expect(await found('filters[status][$eq]=citation&filters[agency][code][$eq]=271070')).toEqual([1]);
});

test.each([
  ['$eq', '2026-02-22', [1]],
  ['$eq', '2026-02-22 01:42:00', [1]],
  ['$eq', '2026-02-22 01:42:01', []],
  ['$ne', '2026-02-22', [2, 3]],
  ['$lt', '2026-02-22', [2]],
  ['$lt', '2026-02-22 01:42:00', [2]],
  ['$lte', '2026-02-22', [1, 2]],
  ['$lte', '2026-02-22 01:41:59', [2]],
  ['$gt', '2026-02-21', [1]],
  ['$gt', '2026-02-22', []],
  ['$gt', '2026-02-22 01:42:00', []],
  ['$gte', '2026-02-22 01:42:00', [1]],
  ['$gte', '2026-02-22 01:42:01', []],
])('compares dates by days and seconds in UTC: %s %s', async (operator, value, expected) => {
  const { ours, add } = await openWithViolation({ date: '2026-02-22T01:42:00.250Z' });
  await add({ date: '2026-02-21T23:59:59.999Z' });
  await add({ date: null });

  const { status, rows } = await ours.get(
    `/v1/traffic-violations?filters[date][${operator}]=${encodeURIComponent(value)}`,
  );

  expect(status).toBe(200);
  expect(rows.map(({ id }) => id)).toEqual(expected);
});

test.each([
  ['2026-02-30', 'filters[date][$eq]: expected YYYY-MM-DD or YYYY-MM-DD HH:mm:ss'],
  ['2026-02-22T01:42:00Z', 'filters[date][$eq]: expected YYYY-MM-DD or YYYY-MM-DD HH:mm:ss'],
  ['2026-02-22 24:00:00', 'filters[date][$eq]: expected YYYY-MM-DD or YYYY-MM-DD HH:mm:ss'],
  ['', 'filters[date][$eq]: expected YYYY-MM-DD or YYYY-MM-DD HH:mm:ss'],
])('rejects the date filter %j', async (value, message) => {
  const { ours } = await openWithViolation();

  expect(
    await ours.get(`/v1/traffic-violations?filters[date][$eq]=${encodeURIComponent(value)}`),
  ).toMatchObject({ status: 400, body: { error: 'Bad Request', message } });
});
