import { expect, test, vi } from 'vitest';
import { user } from '../kit/people.ts';
import { NOW } from '../kit/test-provider.ts';
import { openWithControls } from './control-setup.ts';

test('reads the clock', async () => {
  const { getControl } = await openWithControls();

  expect((await getControl('/clock')).data).toEqual({
    now: NOW,
    day_in_brazil: '2026-03-10',
    ahead_ms: 0,
    speed: 1,
    scenario: 'running',
  });
});

test('says how far the clock is ahead, exactly, while the time of the machine goes on', async () => {
  const { provider, getControl, postControl } = await openWithControls();
  await postControl('/clock/advance', { by: '15m' });
  let now = provider.machine.now();
  vi.spyOn(provider.machine, 'now').mockImplementation(() => (now += 1));

  expect((await getControl('/clock')).data).toMatchObject({ ahead_ms: 15 * 60_000 });
});

test.each([
  ['250ms', '2026-03-10T12:00:00.250Z'],
  ['90s', '2026-03-10T12:01:30.000Z'],
  ['15m', '2026-03-10T12:15:00.000Z'],
  ['36h', '2026-03-12T00:00:00.000Z'],
  ['7d', '2026-03-17T12:00:00.000Z'],
])('advances the clock by %s, and keeps it there', async (by, now) => {
  const { getControl, postControl } = await openWithControls();

  expect((await postControl('/clock/advance', { by })).data).toMatchObject({ now });
  expect((await getControl('/clock')).data).toMatchObject({ now });
});

test('advances the clock to an instant', async () => {
  const { postControl } = await openWithControls();

  const { data } = await postControl('/clock/advance', { to: '2026-04-01T00:00:00-03:00' });

  expect(data).toMatchObject({ now: '2026-04-01T03:00:00.000Z', day_in_brazil: '2026-04-01' });
});

test('runs the steps on the way in order, each at its due time', async () => {
  const { ours, postControl, newWebhooks } = await openWithControls();
  await ours.post('/v1/users', user);
  await newWebhooks();

  const { data } = await postControl('/clock/advance', { by: '1h' });

  const events = await newWebhooks();
  expect(events[0]?.type).toBe('user.login.started');
  expect(data['steps']).toBeGreaterThan(3);
  const moments = events.map(({ data }) => String(data['occurred_at']));
  expect(moments).toEqual([...moments].sort());
  expect(new Set(moments).size).toBeGreaterThan(3);
});

test.each([
  [{}, 400, 'give either by, as in {"by":"36h"}, or to'],
  [{ by: '1h', to: '2027-01-01T00:00:00Z' }, 400, 'give either by'],
  [{ by: '1 hour' }, 400, 'by: expected a duration: a whole number and its unit, as in 90s, 15m, 36h, 7d'],
  [{ by: '-1h' }, 400, 'by: expected a duration'],
  [{ by: 36 }, 400, 'by: expected a duration'],
  [{ to: 'tomorrow' }, 400, 'to: expected an ISO 8601 date-time'],
  [{ by: '367d' }, 400, 'by: at most 366 days at a time'],
  [{ to: '2030-01-01T00:00:00Z' }, 400, 'to: at most 366 days at a time'],
  [{ to: '2026-03-10T11:59:59Z' }, 409, `to: the clock cannot go back; it is ${NOW}`],
  [{ hours: 1 }, 400, 'unknown parameter: hours; this endpoint has by, to'],
])('rejects %o with %i: %s', async (body, status, message) => {
  const { getControl, postControl } = await openWithControls();

  const response = await postControl('/clock/advance', body);

  expect(response.status).toBe(status);
  expect(response.body['message']).toContain(message);
  expect((await getControl('/clock')).data).toMatchObject({ now: NOW });
});

test('advances only the clock while paused, and runs overdue steps on resume', async () => {
  const { ours, postControl, newWebhooks, pass } = await openWithControls();
  await ours.post('/v1/users', user);
  await newWebhooks();

  expect((await postControl('/scenario/pause')).data).toMatchObject({ scenario: 'paused' });
  expect((await postControl('/clock/advance', { by: '1h' })).data).toMatchObject({ steps: 0 });
  expect(await newWebhooks()).toEqual([]);

  expect((await postControl('/scenario/resume')).data).toMatchObject({ scenario: 'running' });
  await pass(60_000);
  expect((await newWebhooks()).map(({ type }) => type)).toContain('user.login.started');
});

test.each([
  [{ speed: 60 }, 200],
  [{ speed: 0 }, 200],
  [{ speed: 0.5 }, 200],
  [{ speed: -1 }, 400],
  [{ speed: 3_601 }, 400],
  [{ speed: '60' }, 400],
  [{}, 400],
])('sets the speed of the clock: %o gets %i', async (body, status) => {
  const { request, getControl } = await openWithControls();

  const response = await request('PUT', '/control/clock/speed', body);

  expect(response.status).toBe(status);
  if (status === 400)
    expect(response.body['message']).toBe('speed: expected a number from 0 (stopped) to 3600');
  expect((await getControl('/clock')).data).toMatchObject({
    speed: status === 200 ? (body as { readonly speed: number }).speed : 1,
  });
});

test('runs steps as they become due on a fast clock', async () => {
  const { ours, request, newWebhooks, clock, pass } = await openWithControls();
  await ours.post('/v1/users', user);
  await newWebhooks();
  await request('PUT', '/control/clock/speed', { speed: 3_600 });

  clock.advance(1_000);
  await pass(0);

  expect((await newWebhooks()).map(({ type }) => type)).toContain('user.login.started');
});
