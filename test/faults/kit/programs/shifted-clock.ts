import type { Workspace } from '../../../support/workspace.ts';
import { preloaded } from './preloaded.ts';

/** Settings for a process whose wall clock is off by `ms` milliseconds in every thread. */
export function shiftedClock(workspace: Workspace, ms: number): Readonly<Record<string, string>> {
  return preloaded(
    workspace,
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
