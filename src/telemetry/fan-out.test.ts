import { expect, test } from 'vitest';
import { testContext } from '../testing/test-context.ts';
import { fanOut, type TelemetryName } from './telemetry.ts';

const fields = { deliveries: 1 };

test('every subscriber gets each event, in order', () => {
  const seen: string[] = [];
  const telemetry = fanOut(
    [(name) => void seen.push(`first ${name}`), (name) => void seen.push(`second ${name}`)],
    testContext().log,
  );

  telemetry.emit('dispatch.recovered', fields);

  expect(seen).toEqual(['first dispatch.recovered', 'second dispatch.recovered']);
});

test('a subscriber that throws keeps no event from the others, and is logged once', () => {
  const { log, logged } = testContext();
  const seen: TelemetryName[] = [];
  const failing = (message: string) => (): never => {
    throw new Error(message);
  };
  const telemetry = fanOut(
    [failing('no room'), (name) => void seen.push(name), failing('out of range')],
    log,
  );

  telemetry.emit('dispatch.recovered', fields);
  telemetry.emit('retention.failed', { reason: 'no room' });

  expect(seen).toEqual(['dispatch.recovered', 'retention.failed']);
  expect(logged).toMatchObject([
    { level: 'error', fields: { event: 'dispatch.recovered', reason: expect.stringContaining('no room') } },
    {
      level: 'error',
      fields: { event: 'dispatch.recovered', reason: expect.stringContaining('out of range') },
    },
  ]);
});
