import { isOlder } from '../../../kernel/is-older.ts';
import { packageVersion } from '../../../kernel/package-root.ts';
import type { StoreCheck } from '../../../store/store.ts';

const LEAST_NODE = '20.19';
/** When this was written: a clock before it is not set. */
const NOT_BEFORE = Date.UTC(2026, 0, 1);

/** Versions and the clock's plausibility. */
export function checkRuntime(nodeVersion: string, now: number): readonly StoreCheck[] {
  const newEnough = !isOlder(nodeVersion, LEAST_NODE);
  const clockSet = now >= NOT_BEFORE;
  const time = new Date(now).toISOString();
  return [
    { name: 'portaria', ok: true, detail: packageVersion() },
    {
      name: 'node',
      ok: newEnough,
      detail: newEnough ? nodeVersion : `${nodeVersion}: install ${LEAST_NODE} or later`,
    },
    {
      name: 'clock',
      ok: clockSet,
      detail: clockSet ? time : `${time} lies in the past: set the system's clock, or keep it by NTP`,
    },
  ];
}
