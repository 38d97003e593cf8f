import { packageVersion } from '../../../kernel/package-root.ts';
import type { StoreCheck } from '../../../store/store.ts';

const LEAST_NODE = [20, 19] as const;
/** When this was written: a clock before it is not set. */
const NOT_BEFORE = Date.UTC(2026, 0, 1);

/** Versions and the clock's plausibility. */
export function checkRuntime(nodeVersion: string, now: number): readonly StoreCheck[] {
  const [major = 0, minor = 0] = nodeVersion.split('.').map(Number);
  const newEnough = major > LEAST_NODE[0] || (major === LEAST_NODE[0] && minor >= LEAST_NODE[1]);
  const clockSet = now >= NOT_BEFORE;
  const time = new Date(now).toISOString();
  return [
    { name: 'portaria', ok: true, detail: packageVersion() },
    {
      name: 'node',
      ok: newEnough,
      detail: newEnough ? nodeVersion : `${nodeVersion}: install ${LEAST_NODE.join('.')} or later`,
    },
    {
      name: 'clock',
      ok: clockSet,
      detail: clockSet ? time : `${time} lies in the past: set the system's clock, or keep it by NTP`,
    },
  ];
}
