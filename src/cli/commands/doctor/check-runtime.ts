import { nodeProblem } from '../../../kernel/node-version.ts';
import { packageVersion } from '../../../kernel/files/package-files.ts';
import type { StoreCheck } from '../../../store/store.ts';

/** When this was written: a clock before it is not set. */
const NOT_BEFORE = Date.UTC(2026, 0, 1);

/** Versions and the clock's plausibility. */
export function checkRuntime(nodeVersion: string, now: number): readonly StoreCheck[] {
  const problem = nodeProblem(nodeVersion);
  const clockSet = now >= NOT_BEFORE;
  const time = new Date(now).toISOString();
  return [
    { name: 'portaria', ok: true, detail: packageVersion() },
    {
      name: 'node',
      ok: problem === null,
      detail: problem ?? nodeVersion,
    },
    {
      name: 'clock',
      ok: clockSet,
      detail: clockSet ? time : `${time} lies in the past: set the system's clock, or keep it by NTP`,
    },
  ];
}
