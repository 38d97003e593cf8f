import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Workshop } from '../../support/workshop.ts';

/** Settings for a process whose wall clock is off by so many milliseconds, in all of its threads. */
export function shiftedClock(place: Workshop, ms: number): Readonly<Record<string, string>> {
  const hook = join(place.folder, 'shifted-clock.mjs');
  writeFileSync(
    hook,
    `
const { now } = Date;
Date.now = () => now() + ${String(ms)};
globalThis.Date = new Proxy(Date, {
  construct: (date, given) => (given.length === 0 ? new date(date.now()) : Reflect.construct(date, given)),
});
`,
  );
  return { NODE_OPTIONS: `--import=${pathToFileURL(hook).href}` };
}
