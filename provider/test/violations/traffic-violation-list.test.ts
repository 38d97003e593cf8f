import { expect, test } from 'vitest';
import { openWithViolation } from '../kit/violation-setup.ts';

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
