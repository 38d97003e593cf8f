/** One check of the whole installation for problems. */
import type { Expectation } from '../config/read-expectations.ts';
import { countOf } from '../kernel/text/count.ts';
import type { Clock } from '../kernel/time/clock.ts';
import { HOUR_MS, MINUTE_MS } from '../kernel/time/durations.ts';
import {
  type HourlyCount,
  type Monitoring,
  type MonitoringState,
  type RecordedLook,
  SERVER_MOVE_REMEDY,
  serverMoveText,
  type ServerMove,
} from '../store/monitoring.ts';
import type { KnownDefinition, Processes } from '../store/processes.ts';
import type { Queries, StoreTotals } from '../store/queries.ts';
import { findUnmet } from './expectations.ts';
import { findDrift, findingOfLooks, type OwnLooks } from './find-drift.ts';
import { findCountedProblems } from './find-problems.ts';
import type { FindLateBackup } from './late-backup.ts';
import type { FindLowDisk } from './low-disk.ts';
import { findUnknownKinds, type KnowsKind } from './unknown-kinds.ts';
import { findUnregistered } from './unregistered-handlers.ts';
import { problemKey, type OperatorProblem } from './problem.ts';
import type { SourceSecrets } from './rejections.ts';
import { findSilences, type Silence } from './silence/find-silence.ts';
import type { HourOfWeek } from './silence/hour-pattern.ts';
import {
  judgeSilence,
  type AskProvider,
  type JudgedSilence,
  type ProviderFinding,
} from './silence/judge-silence.ts';

/** Milliseconds for which the counts of the history are kept: patterns change slowly. */
const KEEP_HISTORY_MS = HOUR_MS;

/** Milliseconds between two questions about one silence. */
const ASK_EVERY_MS = 15 * MINUTE_MS;

export interface ObserveDeps {
  readonly store: Pick<Monitoring, 'monitoring' | 'hourlyCounts' | 'serverMove'> &
    Pick<Queries, 'totals'> &
    Pick<Processes, 'knownDefinitions' | 'runningProcesses'>;
  readonly clock: Clock;
  readonly expectations: readonly Expectation[];
  /** The configured sources: others are not expected to send anything. */
  readonly sources: SourceSecrets;
  /** Null where `serve` does not look at the provider's records by itself. */
  readonly ownLooks?: OwnLooks | null;
  /** Those that are observed, and until when; null for ever. */
  readonly observed?: ReadonlyMap<string, number | null>;
  /** The question to the API of a source: another source may be another organization. */
  readonly askOf: (source: string) => AskProvider | null;
  /**
   * Every name that a delivery to a registered handler carries; null while no process serves. By default nothing
   * is known of handlers and processes.
   */
  readonly deliveryNames?: () => Promise<readonly string[] | null>;
  /** Absent where the process watches its disk by itself. */
  readonly findLowDisk?: FindLowDisk;
  /** Absent where nobody asked for backups. */
  readonly findLateBackup?: FindLateBackup;
  /** Whether the contract has a kind now. */
  readonly knows: KnowsKind;
  /** The local one by default. */
  readonly hourOfWeek?: HourOfWeek;
}

/** What an operator should know now. */
export interface Observation {
  /** In the order of their importance; `since` is known where it was recorded. */
  readonly problems: readonly OperatorProblem[];
  /** Silences that the provider's API explains: nothing has changed there. */
  readonly quiet: readonly OperatorProblem[];
}

/** Finds problems. Repeated calls read the history once an hour. */
export type Observe = (signal?: AbortSignal) => Promise<Observation>;

export function createObserve(deps: ObserveDeps): Observe {
  const { store, clock, expectations, sources, askOf, hourOfWeek, knows, ownLooks = null } = deps;
  let history: readonly HourlyCount[] = [];
  let readAt = -Infinity;
  const asked = new Map<string, { readonly at: number; readonly finding: Promise<ProviderFinding> }>();

  async function currentHistory(): Promise<readonly HourlyCount[]> {
    if (clock.monotonic() - readAt < KEEP_HISTORY_MS) return history;
    history = await store.hourlyCounts(0);
    readAt = clock.monotonic();
    return history;
  }

  async function judge(
    silence: Silence,
    looks: readonly RecordedLook[],
    signal: AbortSignal | undefined,
  ): Promise<JudgedSilence> {
    const now = clock.now();
    const looked = ownLooks && findingOfLooks(looks, ownLooks, silence);
    if (looked !== null) return judgeSilence(silence, looked, now);
    const { source, kind, lastReceivedAt } = silence;
    const ask = askOf(source);
    if (ask === null) return judgeSilence(silence, null, now);
    const key = `${source} ${kind ?? ''} ${String(lastReceivedAt)}`;
    const known = asked.get(key);
    if (known !== undefined && clock.monotonic() - known.at < ASK_EVERY_MS)
      return judgeSilence(silence, await known.finding, now);
    const finding = ask({ kind, since: lastReceivedAt, now }, signal);
    asked.set(key, { at: clock.monotonic(), finding });
    return judgeSilence(silence, await finding, now);
  }

  return async (signal) => {
    const totals = await store.totals();
    const state = await store.monitoring();
    const registered = await deps.deliveryNames?.();
    const move = await store.serverMove();
    const now = clock.now();
    const received = state.received.filter(({ source }) => sources.has(source));
    const silences = findSilences(received, await currentHistory(), now, hourOfWeek);
    if (silences.length === 0) asked.clear();
    const judged: JudgedSilence[] = [];
    for (const silence of silences) judged.push(await judge(silence, state.looks, signal));
    const found = [
      ...(registered === null ? findNoProcess(totals, await store.knownDefinitions()) : []),
      ...((await deps.findLowDisk?.()) ?? []),
      ...(deps.findLateBackup?.(now) ?? []),
      ...findMovedServer(move),
      ...findObserved(deps.observed, state.observed, now),
      ...judged.filter(({ cause }) => cause !== 'quiet').map(({ problem }) => problem),
      ...findCountedProblems(totals, state, now, sources),
      ...(ownLooks === null ? [] : findDrift(state.looks, ownLooks, await store.runningProcesses(), now)),
      ...(registered == null ? [] : findUnregistered(totals, registered)),
      ...findUnmet(expectations, state, now),
      ...findUnknownKinds(received, now, knows),
    ];
    const beganAt = new Map(state.problems.map((problem) => [problem.key, problem.beganAt]));
    return {
      problems: found.map((problem) => ({
        ...problem,
        since: problem.since ?? beganAt.get(problemKey(problem)) ?? null,
      })),
      quiet: judged.filter(({ cause }) => cause === 'quiet').map(({ problem }) => problem),
    };
  };
}

/** Sources that take what verification rejects. It ends with `until`, or when the setting is removed. */
function findObserved(
  observed: ObserveDeps['observed'] = new Map(),
  counts: MonitoringState['observed'],
  now: number,
): readonly OperatorProblem[] {
  return [...observed].flatMap(([source, until]) => {
    if (until !== null && now >= until) return [];
    const end = until === null ? null : new Date(until).toISOString().replace(':00.000Z', 'Z');
    const passed = counts.filter((one) => one.source === source);
    return [
      {
        problem: 'observed',
        of: source,
        since: null,
        summary: `source ${source} takes webhooks that fail verification, and keeps their headers${end === null ? '' : `, until ${end}`}${passedText(passed)}`,
        remedy:
          'find the proof of the sender (portaria verify try --event, the metric portaria_webhooks_observed_total), then remove observe from the source, or PORTARIA_VERIFY_OBSERVE',
        facts: { about: 'observed', source, until: end, passed },
      },
    ];
  });
}

function passedText(passed: readonly { readonly scheme: string; readonly webhooks: number }[]): string {
  if (passed.length === 0) return '';
  const each = passed.map(
    ({ scheme, webhooks }) => `${String(webhooks)} ${scheme === 'none' ? 'pass nothing' : `pass ${scheme}`}`,
  );
  const all = passed.reduce((sum, { webhooks }) => sum + webhooks, 0);
  return `: of ${countOf(all, 'webhook')} in nine days, ${each.join(', ')}`;
}

/** What has handlers is meant to run. Without any, a store may be a copy for reading. */
function findNoProcess(
  { byHandler }: StoreTotals,
  known: readonly KnownDefinition[],
): readonly OperatorProblem[] {
  if (byHandler.length === 0 && !known.some(({ type }) => type === 'handler')) return [];
  const unfinished = byHandler.reduce((sum, { pending, running }) => sum + pending + running, 0);
  return [
    {
      problem: 'no-process',
      of: null,
      since: null,
      summary: `no process runs: webhooks get no answer, and ${countOf(unfinished, 'delivery waits', 'deliveries wait')}`,
      remedy: 'read the end of its log, then start `portaria serve`, or the application that embeds it',
    },
  ];
}

/**
 * Finds a restore or a failover: the store may lack acknowledged events, and give out their ids again.
 *
 * @param move null while the server is the known one, or does not tell
 */
export function findMovedServer(move: ServerMove | null): readonly OperatorProblem[] {
  if (move === null) return [];
  return [
    {
      problem: 'moved-server',
      of: null,
      since: null,
      summary: serverMoveText(move),
      remedy: SERVER_MOVE_REMEDY,
      facts: { about: 'moved-server', move },
    },
  ];
}
