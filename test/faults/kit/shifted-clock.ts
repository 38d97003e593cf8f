import type { Workshop } from '../../support/workshop.ts';
import { preloaded } from './preloaded.ts';

/** Settings for a process whose wall clock is off by so many milliseconds, in all of its threads. */
export function shiftedClock(place: Workshop, ms: number): Readonly<Record<string, string>> {
  return preloaded(
    place,
    'shifted-clock',
    `
const { now } = Date;
Date.now = () => now() + ${String(ms)};
globalThis.Date = new Proxy(Date, {
  construct: (date, given) => (given.length === 0 ? new date(date.now()) : Reflect.construct(date, given)),
});
`,
  );
}
