/** Finds sources of which more webhooks than usual fail verification, and says why. */
import { countOf } from '../kernel/text/count.ts';
import { HOUR_MS } from '../kernel/time/durations.ts';
import type { RejectionCount } from '../store/monitoring.ts';
import type { NotVerified } from '../verify/headers.ts';
import type { OperatorProblem } from './problem.ts';

/** The hours of rejections that are compared with those before them: the current one and the one before. */
const RECENT_HOURS = 2;

/** The hours before them. */
const USUAL_HOURS = 7 * 24;

/** Fewer rejections in the recent hours are no rise. */
const MIN_REJECTIONS = 10;

/** This multiple of the usual number is a rise. */
const RISE = 4;

/** The configured sources, with the setting that has the secrets of each. */
export type SourceSecrets = ReadonlyMap<string, { readonly secretsFrom?: string }>;

/** An attacker, a wrong secret or a wrong clock: more webhooks than usual fail verification. */
export function findRisingRejections(
  rejections: readonly RejectionCount[],
  createdAt: number,
  now: number,
  sources: SourceSecrets,
): readonly OperatorProblem[] {
  const firstRecent = Math.floor(now / HOUR_MS) - RECENT_HOURS + 1;
  const firstUsual = firstRecent - USUAL_HOURS;
  const seenHours = Math.min(USUAL_HOURS, firstRecent - Math.floor(createdAt / HOUR_MS));
  const notVerified = rejections.filter(({ lastReason }) => !isNoAddress(lastReason));
  return [...Map.groupBy(notVerified, ({ source }) => source)].flatMap(([source, counts]) => {
    const recent = counts.filter(({ hour }) => hour >= firstRecent);
    const count = sum(recent);
    const before = sum(counts.filter(({ hour }) => hour >= firstUsual && hour < firstRecent));
    const usual = seenHours <= 0 ? 0 : (before / seenHours) * RECENT_HOURS;
    const last = recent.toSorted((one, other) => other.hour - one.hour)[0];
    if (last === undefined || count < MIN_REJECTIONS || count < RISE * usual) return [];
    const { lastReason, clockSeconds } = last;
    const secretsFrom = sources.get(source)?.secretsFrom ?? 'the setting with its secrets';
    const why =
      lastReason === null
        ? ''
        : `; lately because ${rejectedBecause(last, rejectionClauses)} (${lastReason})`;
    return [
      {
        problem: 'rejections',
        of: source,
        since: null,
        summary: `${countOf(count, 'webhook')} of source ${source} failed verification (401) within two hours, usually ${usual < 0.5 ? 'none' : String(Math.round(usual))}${why}`,
        remedy: `${remedyFor(lastReason, secretsFrom)}. If the sender is unknown, nothing is lost. The log says why each failed (reason, detail)`,
        facts: { about: 'rejections', source, count, usual, lastReason, clockSeconds, secretsFrom },
      },
    ];
  });
}

/** Why a webhook to an address that is none was rejected; its `source` is the path. Any scanner sends such ones: they are counted, and no rise. */
type NoAddress = 'unknown-path' | 'unknown-source';

/** Whether a result, or the reason of a rejection, says that the address is none. */
export function isNoAddress(reason: string | null): reason is NoAddress {
  return reason === 'unknown-path' || reason === 'unknown-source';
}

/** Why a webhook was rejected, as clauses in one language. `seconds` is the difference of the clocks. */
export type RejectionClauses = Readonly<
  Record<NotVerified | NoAddress, string | ((seconds: number) => string)>
>;

export const rejectionClauses: RejectionClauses = {
  missing: 'a header with the proof of the sender was missing',
  malformed: 'a header with the proof of the sender was malformed',
  repeated: 'a header was sent more than once',
  mismatch: 'its signature or token did not match',
  'too-old': (seconds) => `the sender’s time was ${countOf(seconds, 'second')} behind this clock`,
  'too-new': (seconds) => `the sender’s time was ${countOf(seconds, 'second')} ahead of this clock`,
  'unknown-path':
    'this path does not exist here (404): nothing is stored. Webhooks go to /webhooks or /webhooks/<source>',
  'unknown-source': 'there is no source of this name (404): nothing is stored',
};

/** Why most of the latest failed; '' where an earlier version counted it. */
export function rejectedBecause(
  { lastReason, clockSeconds }: Pick<RejectionCount, 'lastReason' | 'clockSeconds'>,
  clauses: RejectionClauses,
): string {
  if (lastReason === null) return '';
  const clause = new Map(Object.entries(clauses)).get(lastReason) ?? lastReason;
  return typeof clause === 'string' ? clause : clause(clockSeconds ?? 0);
}

function remedyFor(reason: string | null, secretsFrom: string): string {
  switch (reason as NotVerified | null) {
    case 'too-old':
    case 'too-new':
      return 'set both clocks by NTP, this one and the sender’s; a proxy or a queue may also hold webhooks back for too long';
    case 'missing':
    case 'malformed':
    case 'repeated':
      return `have the sender prove itself by a secret of ${secretsFrom}, in the header that the log names`;
    default:
      return `compare the secret with the sender’s; while it rotates, ${secretsFrom} may hold the old one and the new one`;
  }
}

function sum(counts: readonly RejectionCount[]): number {
  return counts.reduce((total, { rejections }) => total + rejections, 0);
}
