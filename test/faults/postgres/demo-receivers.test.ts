/**
 * Given `npm run demo -- --receivers 3`: while one receiver is killed, one is stopped for longer than its lease,
 * the provider is killed and PostgreSQL crashes, both sides agree about every subject in the end.
 */
import { expect, test } from 'vitest';
import { differencesOf, figure, playDemo } from '../../support/played-demo.ts';
import { need } from '../kit/needs.ts';

test('three receivers on PostgreSQL end a day with faults without a difference', async (context) => {
  need(context, 'postgres');
  // The shortest day in which every fault has its time.
  const size = ['--seconds', '20', '--companies', '2', '--violations', '40', '--seed', '3'];
  const { code, out, err } = await playDemo('--receivers', '3', ...size).ended;

  expect({ code, err, differences: differencesOf(out) }).toEqual({
    code: 0,
    err: '',
    differences: expect.stringMatching(/^0 differences/u),
  });
  for (const line of [
    'receiver 3 is stopped (SIGSTOP) for 12 s',
    'receiver 3 continues (SIGCONT)',
    'kill -9 of receiver 1',
    'receiver 1 is back',
    'kill -9 of the provider',
    'PostgreSQL crashes (immediate shutdown)',
    'PostgreSQL is back',
  ])
    expect(out).toContain(line);
  for (const name of [
    'passed on',
    'to receiver 1',
    'to receiver 2',
    'to receiver 3',
    'duplicates recognised',
  ])
    expect(figure(out, name), name).toBeGreaterThan(0);
  // A provider that is killed never sends some: what came and what never could is all that changed.
  const came = ['receivers +received', 'webhooks never sent', 'webhooks given up'].map((name) =>
    figure(out, name),
  );
  expect(came.reduce((sum, count) => sum + count)).toBeGreaterThanOrEqual(figure(out, 'records changed'));
  expect(figure(out, 'dead')).toBe(0);
});
