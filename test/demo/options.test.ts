/** The command line of the demo. */
import { expect, test } from 'vitest';
import { readOptions, usage } from '../../demo/options.mjs';

test('plays the day in a minute, and in twelve when somebody watches', () => {
  expect(readOptions([])).toMatchObject({ seconds: 60, console: false, incident: null });
  expect(readOptions(['--console'])).toMatchObject({ seconds: 720, console: true });
});

test('loses webhooks, unless it is told not to', () => {
  expect(readOptions([])).toMatchObject({ losses: true });
  expect(readOptions(['--no-losses'])).toMatchObject({ losses: false });
});

test('takes the pace as seconds of the day or as its speed', () => {
  expect(readOptions(['--seconds', '30'])).toMatchObject({ seconds: 30 });
  expect(readOptions(['--speed', '60'])).toMatchObject({ seconds: 1440 });
  expect(readOptions(['--console', '--speed', '3600'])).toMatchObject({ seconds: 24 });
});

test('plays with one receiver, or with several', () => {
  expect(readOptions([])).toMatchObject({ receivers: 1 });
  expect(readOptions(['--receivers', '3'])).toMatchObject({ receivers: 3 });
});

test.each(['handler', 'sender', 'lane'])('takes the incident %s', (incident) => {
  expect(readOptions(['--console', '--incident', incident])).toMatchObject({ incident });
  expect(usage).toContain(`${incident}:`);
});

test.each([
  [['--speed', '60', '--seconds', '30'], '--speed and --seconds say the same: give one of them'],
  [['--speed', '0'], '--speed must be a whole number of at least 1, not 0'],
  [['--speed', 'fast'], '--speed must be a whole number of at least 1, not fast'],
  [['--console', '--speed', '3601'], '--speed must be at most 3600, not 3601'],
  [['--console', '--seconds', '8'], '--seconds must be a whole number of at least 24, not 8'],
  [['--receivers', '0'], '--receivers must be a whole number from 1 to 9, not 0'],
  [['--receivers', '10'], '--receivers must be a whole number from 1 to 9, not 10'],
  [['--receivers', 'three'], '--receivers must be a whole number from 1 to 9, not three'],
  [['--receivers', '3', '--seconds', '8'], '--seconds must be a whole number of at least 20, not 8'],
  [['--receivers', '2', '--console', '--incident', 'lane'], '--incident plays with one receiver'],
  [['--incident', 'lane'], '--incident needs --console'],
  [['--console', '--incident', 'flood'], '--incident must be one of handler, sender, lane, not flood'],
])('rejects %o: %s', (args, message) => {
  expect(() => readOptions(args)).toThrow(message);
});
