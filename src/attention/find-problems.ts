/** Finds problems in what the store counts: dead letters, old deliveries, quarantine. */
import { ageText, secondText } from '../kernel/text/age.ts';
import { countOf } from '../kernel/text/count.ts';
import { scrub } from '../kernel/text/scrub.ts';
import { HOUR_MS, MINUTE_MS } from '../kernel/time/durations.ts';
import type { MonitoringState, Outage } from '../store/monitoring.ts';
import { createPauseLookup, isByOperator, type Pause } from '../store/pauses.ts';
import type { StoreTotals } from '../store/queries.ts';
import type { OperatorProblem } from './problem.ts';
import { findRisingRejections, type SourceSecrets } from './rejections.ts';

/** A delivery may be retried for hours; after one, an operator should know. */
const MAX_PENDING_MS = HOUR_MS;

/** A problem ends when the event loop has not been blocked again for so long. */
const STALLED_MS = HOUR_MS;

/** It ends after so long if nothing is left that may have blocked it: an operator has retried or discarded it. */
const STALLED_SETTLED_MS = 10 * MINUTE_MS;

/** Finds the problems that the store's counts show. Silence is found elsewhere. */
export function findCountedProblems(
  totals: StoreTotals,
  { openBreakers, outages, rejections, createdAt }: MonitoringState,
  now: number,
  sources: SourceSecrets,
): readonly OperatorProblem[] {
  return [
    ...stalls(outages, totals, now),
    ...deadLetters(totals),
    ...quarantine(totals),
    ...openBreakers.map(({ handler, since, reason }) => ({
      problem: 'open-breaker' as const,
      of: handler,
      since,
      summary: `the breaker of handler ${handler} has been open since ${ageText(since, now)}: ${scrub(reason)}`,
      remedy:
        'repair the handler or its target; the breaker closes by itself, and its deliveries wait until then',
    })),
    ...findRisingRejections(rejections, createdAt, now, sources),
    ...oldestPending(totals, now),
    ...pauses(totals, now),
  ];
}

function deadLetters({ byHandler, pauses: all }: StoreTotals): readonly OperatorProblem[] {
  const held = Map.groupBy(
    all.filter((pause) => !isByOperator(pause)),
    ({ handler }) => handler,
  );
  return byHandler
    .filter(({ dead }) => dead > 0)
    .map(({ handler, dead }) => ({
      problem: 'dead-letters',
      of: handler,
      since: null,
      summary: `${countOf(dead, 'delivery', 'deliveries')} of handler ${handler} ${dead === 1 ? 'has' : 'have'} failed for good${behind(held.get(handler)?.length ?? 0)}`,
      remedy: `read why with \`portaria deliveries list --status dead --handler ${handler}\`, fix the cause, then \`portaria deliveries retry --status dead --handler ${handler}\``,
    }));
}

/** The lanes that wait behind dead letters: `afterDeadLetter: 'hold'`. */
function behind(lanes: number): string {
  return lanes === 0
    ? ''
    : `, and ${countOf(lanes, 'lane waits', 'lanes wait')} behind ${lanes === 1 ? 'one' : 'them'}`;
}

/** One problem for each handler that has blocked the event loop within an hour: the next delivery may block it again. */
function stalls(
  outages: readonly Outage[],
  { byHandler, pauses: paused }: StoreTotals,
  now: number,
): readonly OperatorProblem[] {
  const recent = outages.filter(({ cause, endedAt }) => cause === 'stalled' && now - endedAt < STALLED_MS);
  const lookup = createPauseLookup(paused);
  const isPaused = (name: string): boolean => lookup.ofHandler(name) !== undefined;
  const hasUnfinishedOrDead = (name: string): boolean =>
    byHandler.some((one) => one.handler === name && one.pending + one.running + one.dead > 0);
  return [...Map.groupBy(recent, ({ handler }) => handler)].flatMap(([handler, all]) => {
    const lastAt = Math.max(...all.map(({ endedAt }) => endedAt));
    const isRecent = now - lastAt < STALLED_SETTLED_MS;
    if (
      handler?.split(', ').every((one) => isPaused(one) || !(isRecent || hasUnfinishedOrDead(one))) === true
    )
      return [];
    const isOne = handler?.includes(', ') === false;
    const name = isOne ? handler : '<handler>';
    const what =
      handler === null
        ? 'code outside handlers'
        : isOne
          ? `handler ${handler}`
          : `one of the handlers ${handler}`;
    return {
      problem: 'stalled',
      of: handler,
      since: null,
      summary: `${what} has blocked the event loop ${countOf(all.length, 'time')} within an hour, last at ${secondText(lastAt)}: the watchdog ended the process`,
      remedy:
        handler === null
          ? 'the log has the stack (process.stalled)'
          : `\`portaria handlers pause ${name} --reason "…"\`, fix what the log shows (process.stalled), \`portaria handlers resume ${name}\`, then \`portaria deliveries retry --status dead --handler ${name}\``,
      facts: { about: 'stalled', handler, count: all.length, lastAt },
    };
  });
}

function quarantine({ quarantined }: StoreTotals): readonly OperatorProblem[] {
  if (quarantined === 0) return [];
  return [
    {
      problem: 'quarantine',
      of: null,
      since: null,
      summary: `${countOf(quarantined, 'body', 'bodies')} in quarantine ${quarantined === 1 ? 'is' : 'are'} not handled`,
      remedy:
        'see `portaria quarantine list`; upgrade Portaria, ask the sender, or define the kind (docs/contract.md), then `quarantine release`',
    },
  ];
}

function oldestPending({ oldestPendingAt }: StoreTotals, now: number): readonly OperatorProblem[] {
  if (oldestPendingAt === null || now - oldestPendingAt <= MAX_PENDING_MS) return [];
  return [
    {
      problem: 'oldest-pending',
      of: null,
      since: oldestPendingAt + MAX_PENDING_MS,
      summary: `the oldest unfinished delivery has been waiting since ${ageText(oldestPendingAt, now)}`,
      remedy:
        'see `portaria deliveries list --status pending`: raise PORTARIA_CONCURRENCY if all wait for their turn, else repair the handler that they name',
    },
  ];
}

/** One problem for each handler and source that is paused, and one for all paused lanes of a handler. */
function pauses({ pauses: all }: StoreTotals, now: number): readonly OperatorProblem[] {
  const byOperators = all.filter(isByOperator);
  return [...Map.groupBy(byOperators, pausedName)].flatMap(([of, [first, ...others]]) => {
    if (first === undefined) return [];
    const since = Math.min(first.pausedAt, ...others.map(({ pausedAt }) => pausedAt));
    const what =
      first.subject === null ? `${of} is paused` : `${countOf(others.length + 1, 'lane')} of ${of} paused`;
    const reason = others.length === 0 ? `: ${scrub(first.reason)}` : '';
    return [
      {
        problem: 'paused',
        of,
        since,
        summary: `${what} by an operator since ${ageText(since, now)}${reason}`,
        remedy:
          'its events are accepted and wait; see `portaria handlers pauses`, and end it with `portaria handlers resume`',
      },
    ];
  });
}

/** Subjects are not named: a pause of a thousand lanes is one problem. */
function pausedName({ handler, source }: Pause): string {
  if (handler === null) return `source ${source ?? ''}`;
  return source === null ? `handler ${handler}` : `handler ${handler}, source ${source}`;
}
