import { z } from 'zod';
import { expected, expectedAmong } from '../../src/contract/field/expected.ts';
import { timestamp } from '../../src/contract/field/timestamp.ts';
import { normalizeInstant } from '../../src/contract/instant.ts';
import { brazilianDay } from '../brazilian-day.ts';
import { Refusal } from '../http/refusal.ts';
import { control, type Control, type ControlParts } from './control.ts';

const units = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
/** At a time: each step on the way is performed, and whoever asks waits for it. */
const MAX_DAYS = 366;
const duration = 'a duration: a whole number and its unit, as in 90s, 15m, 36h, 7d';

const by = z
  .string({ error: expected(duration) })
  .regex(/^\d{1,9}(ms|s|m|h|d)$/u, { error: expectedAmong(duration, 'string') })
  .transform(milliseconds);

/** How time goes on: by so much, or to an instant. */
const advance = z
  .strictObject({ by: by.optional(), to: timestamp.optional() }, { error: expected('an object') })
  .refine(({ by, to }) => (by === undefined) !== (to === undefined), {
    error: 'give either by, as in {"by":"36h"}, or to, as in {"to":"2026-03-10T12:00:00Z"}',
  });

export const timeControls: readonly Control[] = [
  control({ method: 'get', path: '/clock', summary: "The provider's time" }, (_, parts) =>
    Promise.resolve({ data: clockOf(parts) }),
  ),
  control(
    {
      method: 'post',
      path: '/clock/advance',
      summary: 'Put time forward; what is due on the way happens in order',
      body: advance,
    },
    async ({ body }, parts) => {
      const steps = await parts.scenario.advance(wayTo(body, parts.provider.clock.now()));
      return { data: { ...clockOf(parts), steps } };
    },
  ),
  control(
    { method: 'post', path: '/scenario/pause', summary: 'Let nothing happen by itself, though time runs on' },
    (_, parts) => {
      parts.scenario.pause();
      return Promise.resolve({ data: clockOf(parts) });
    },
  ),
  control(
    {
      method: 'post',
      path: '/scenario/resume',
      summary: 'Let things go on; what has become due happens at once',
    },
    (_, parts) => {
      parts.scenario.resume();
      return Promise.resolve({ data: clockOf(parts) });
    },
  ),
];

function milliseconds(text: string): number {
  const [, count = '0', unit = 's'] = /^(\d+)([a-z]+)$/u.exec(text) ?? [];
  return Number(count) * units[unit as keyof typeof units];
}

/** Milliseconds. @throws Refusal 400 when it is too far, 409 when it is behind. */
function wayTo({ by, to }: z.output<typeof advance>, now: number): number {
  const ms = by ?? Date.parse(normalizeInstant(to ?? '') ?? '') - now;
  if (ms < 0)
    throw new Refusal(409, `to: time only goes forward, and it is ${new Date(now).toISOString()} already`);
  if (ms > MAX_DAYS * units.d)
    throw new Refusal(
      400,
      `${by === undefined ? 'to' : 'by'}: at most ${String(MAX_DAYS)} days at a time; go there in steps`,
    );
  return ms;
}

function clockOf({ provider: { clock, machine }, scenario }: ControlParts) {
  const now = clock.now();
  return {
    now: new Date(now).toISOString(),
    day_in_brazil: brazilianDay(now),
    ahead_ms: now - machine.now(),
    scenario: scenario.isPaused ? 'paused' : 'running',
  };
}
