/** Controls of the clock and the scenario. */
import { z } from 'zod';
import { expected, expectedAmong } from '../../src/contract/field/expected.ts';
import { timestamp } from '../../src/contract/field/time.ts';
import { normalizeInstant } from '../../src/contract/instant.ts';
import { brazilianDay } from '../brazilian-day.ts';
import { HttpError } from '../http/http-error.ts';
import { control, type Control, type ControlDeps } from './control.ts';

const units = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
/** Maximum number of days per request, which runs every step on the way. */
const MAX_DAYS = 366;
const duration = 'a duration: a whole number and its unit, as in 90s, 15m, 36h, 7d';

const by = z
  .string({ error: expected(duration) })
  .regex(/^\d{1,9}(ms|s|m|h|d)$/u, { error: expectedAmong(duration, 'string') })
  .transform(milliseconds);

/** How far to advance the clock: by a duration, or to an instant. */
const advance = z
  .strictObject({ by: by.optional(), to: timestamp.optional() }, { error: expected('an object') })
  .refine(({ by, to }) => (by === undefined) !== (to === undefined), {
    error: 'give either by, as in {"by":"36h"}, or to, as in {"to":"2026-03-10T12:00:00Z"}',
  });

/** At most an hour in a second: every step on the way runs. */
const MAX_SPEED = 3_600;
const speedRange = `expected a number from 0 (stopped) to ${String(MAX_SPEED)}`;
const speed = z.strictObject({
  speed: z.number({ error: speedRange }).min(0, speedRange).max(MAX_SPEED, speedRange),
});

/** Advances, speeds up and stops the provider's clock, and pauses the scenario. */
export const timeControls: readonly Control[] = [
  control({ method: 'get', path: '/clock', summary: "The provider's clock" }, (_, deps) =>
    Promise.resolve({ data: clockOf(deps) }),
  ),
  control(
    {
      method: 'post',
      path: '/clock/advance',
      summary: 'Advance the clock; steps that become due run in order',
      body: advance,
    },
    async ({ body }, deps) => {
      const steps = await deps.scenario.advance(distanceTo(body, deps.provider.clock.now()));
      return { data: { ...clockOf(deps), steps } };
    },
  ),
  control(
    {
      method: 'put',
      path: '/clock/speed',
      summary: 'Set the seconds of the clock in a second of the machine; 0 stops it, a restart sets it to 1',
      body: speed,
    },
    async ({ body }, deps) => {
      await deps.provider.setClockSpeed(body.speed);
      return { data: clockOf(deps) };
    },
  ),
  control(
    { method: 'post', path: '/scenario/pause', summary: 'Pause the scenario; the clock runs on' },
    (_, deps) => {
      deps.scenario.pause();
      return Promise.resolve({ data: clockOf(deps) });
    },
  ),
  control(
    {
      method: 'post',
      path: '/scenario/resume',
      summary: 'Resume the scenario; overdue steps run at once',
    },
    (_, deps) => {
      deps.scenario.resume();
      return Promise.resolve({ data: clockOf(deps) });
    },
  ),
];

function milliseconds(text: string): number {
  const [, count = '0', unit = 's'] = /^(\d+)([a-z]+)$/u.exec(text) ?? [];
  return Number(count) * units[unit as keyof typeof units];
}

/** Returns milliseconds. @throws HttpError 400 when it is too far; 409 when it lies in the past. */
function distanceTo({ by, to }: z.output<typeof advance>, now: number): number {
  const ms = by ?? Date.parse(normalizeInstant(to ?? '') ?? '') - now;
  if (ms < 0) throw new HttpError(409, `to: the clock cannot go back; it is ${new Date(now).toISOString()}`);
  if (ms > MAX_DAYS * units.d)
    throw new HttpError(400, `${by === undefined ? 'to' : 'by'}: at most ${String(MAX_DAYS)} days at a time`);
  return ms;
}

function clockOf({ provider: { clock }, scenario }: ControlDeps) {
  const now = clock.now();
  return {
    now: new Date(now).toISOString(),
    day_in_brazil: brazilianDay(now),
    ahead_ms: clock.ahead,
    speed: clock.speed,
    scenario: scenario.isPaused ? 'paused' : 'running',
  };
}
