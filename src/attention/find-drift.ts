/** Finds problems in what the looks at the provider's records have found, and what they say of a silence. */
import { catalogue, isEventKind } from '../contract/catalogue.ts';
import { ageText } from '../kernel/text/age.ts';
import { countOf } from '../kernel/text/count.ts';
import { HOUR_MS } from '../kernel/time/durations.ts';
import {
  isOverdue,
  WEBHOOK_DELAY_MS,
  type RecordedDifference,
  type RecordedLook,
} from '../store/monitoring.ts';
import type { RunningProcess } from '../store/processes.ts';
import type { OperatorProblem } from './problem.ts';
import type { Silence } from './silence/find-silence.ts';
import type { ProviderFinding } from './silence/judge-silence.ts';

/** The looks that a process makes by itself. */
export interface OwnLooks {
  readonly everyMs: number;
  /** Each source whose records are compared, with the families. */
  readonly families: ReadonlyMap<string, readonly string[]>;
}

/** Outcomes that an operator can do something about: a webhook never came. */
const drifts: ReadonlySet<string> = new Set(['missed', 'behind', 'removed']);

export function findDrift(
  looks: readonly RecordedLook[],
  { everyMs, families }: OwnLooks,
  processes: readonly RunningProcess[],
  now: number,
): readonly OperatorProblem[] {
  // Nobody looked before a process ran.
  const runsSince = Math.min(...processes.map(({ startedAt }) => startedAt ?? now));
  const lateMs = everyMs + Math.max(everyMs, HOUR_MS);
  return [...families].flatMap(([source, names]) => {
    const ofSource = looks.filter((look) => look.source === source && names.includes(look.family));
    const late = names.filter((family) => {
      const lastAt = ofSource.find((look) => look.family === family)?.at ?? -Infinity;
      return now - Math.max(lastAt, runsSince) > lateMs;
    });
    return [...ofSource.flatMap((look) => driftOf(look, now)), ...lateness(source, late)];
  });
}

function driftOf(look: RecordedLook, now: number): readonly OperatorProblem[] {
  const { source, family, at, differing } = look;
  const counts = Object.entries(differing).filter(([outcome]) => drifts.has(outcome));
  const since = Math.min(...overdue(look).map((one) => one.since));
  if (since === Infinity) return [];
  const count = counts.reduce((sum, [, subjects]) => sum + subjects, 0);
  const outcomes = counts.map(([outcome, subjects]) => `${String(subjects)} ${outcome}`).join(', ');
  return [
    {
      problem: 'drift',
      of: `${source}/${family}`,
      since,
      summary: `${countOf(count, 'subject')} of ${family} ${count === 1 ? 'differs' : 'differ'} from the provider's records (${outcomes}), as of ${ageText(at, now)}`,
      remedy: `see \`portaria reconcile --source ${source} --family ${family}\`, and repair it with \`--repair\``,
      facts: { about: 'drift', source, family, count, outcomes, at },
    },
  ];
}

function lateness(source: string, families: readonly string[]): readonly OperatorProblem[] {
  if (families.length === 0) return [];
  return [
    {
      problem: 'reconcile-late',
      of: source,
      since: null,
      summary: `the provider's records of source ${source} could not be looked at for too long: ${families.join(', ')}`,
      remedy:
        "read why in the log (reconcile.failed), or with `portaria reconcile`: the provider's API fails, or the key lacks a right",
      facts: { about: 'reconcile-late', source, families },
    },
  ];
}

/** The listed differences of which no webhook came in time. */
function overdue(look: RecordedLook): readonly RecordedDifference[] {
  return look.differences.filter((one) => drifts.has(one.outcome) && isOverdue(one, look));
}

/** What the last looks say of a silence; null when one of them is too old to know. */
export function findingOfLooks(
  looks: readonly RecordedLook[],
  { families }: OwnLooks,
  { source, kind, lastReceivedAt }: Silence,
): ProviderFinding | null {
  const compared = families.get(source) ?? [];
  const family = kind !== null && isEventKind(kind) ? catalogue[kind].family : null;
  const asked = kind === null ? compared : compared.filter((name) => name === family);
  const found = looks.filter((look) => look.source === source && asked.includes(look.family));
  for (const look of found) {
    const missed = overdue(look).find(({ since }) => since > lastReceivedAt);
    if (missed !== undefined)
      return { found: 'change', subject: `${look.family}:${missed.id}`, at: missed.since };
  }
  const isKnown = found.length === asked.length && asked.length > 0;
  const lookedAt = Math.min(...found.map(({ at }) => at));
  if (!isKnown || lookedAt <= lastReceivedAt + WEBHOOK_DELAY_MS) return null;
  return { found: 'none', records: found.reduce((sum, { equal }) => sum + equal, 0), lookedAt };
}
