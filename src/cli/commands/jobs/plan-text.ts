/** Formats for people what a plan would do. */
import type { PlanRequest } from '../../../jobs/plan-request.ts';
import type { PlanView } from '../../../view/plan-view.ts';
import { countOf } from '../../../kernel/text/count.ts';
import { PARTIAL } from '../../options/company-option.ts';
import { readableTime } from '../../output/format.ts';
import { createTable, type Column } from '../../output/table.ts';

const handlerColumns: readonly Column<PlanView['handlers'][number]>[] = [
  { heading: 'handler', shrinks: true, value: ({ handler }) => handler },
  { heading: 'items', align: 'right', value: ({ items }) => items },
  { heading: 'lanes', align: 'right', optional: true, value: ({ lanes }) => lanes },
  { heading: 'retried before', align: 'right', optional: true, value: (each) => each.retried_before },
  { heading: 'oldest', optional: true, value: ({ oldest_at }) => readableTime(oldest_at) },
];

const callColumns: readonly Column<PlanView['handlers'][number]>[] = [
  { heading: 'handler', shrinks: true, value: ({ handler }) => handler },
  { heading: 'calls', align: 'right', value: ({ items }) => items },
  { heading: 'already succeeded', align: 'right', value: (each) => each.already_succeeded },
  { heading: 'stale, left out', align: 'right', value: ({ stale }) => stale },
];

const leftColumns: readonly Column<NonNullable<PlanView['entries']>['left'][number]>[] = [
  { heading: 'path', value: ({ path }) => path },
  { heading: 'stays because', shrinks: true, value: ({ problem }) => problem },
  { heading: 'entries', align: 'right', value: ({ entries }) => entries },
];

const laneColumns: readonly Column<PlanView['lanes'][number]>[] = [
  { heading: 'lanes with the most', value: ({ subject }) => subject },
  { heading: 'handler', shrinks: true, value: ({ handler }) => handler },
  { heading: 'deliveries', align: 'right', value: ({ deliveries }) => deliveries },
];

export function planText(plan: PlanView, width: number, request: PlanRequest): string {
  const { entries, lanes, replay } = plan;
  const handlers = plan.handlers.filter(
    ({ items, already_succeeded, stale }) => items + (already_succeeded ?? 0) + (stale ?? 0) > 0,
  );
  const parts = [
    sentence(plan, request),
    ...(plan.partial === true ? [PARTIAL] : []),
    ...(replay !== null && replay.unrecognized > 0 ? [unrecognizedText(replay.unrecognized)] : []),
    ...(plan.overtaken.count + plan.overtaken.run > 0 ? [overtakenText(plan.overtaken)] : []),
    ...(handlers.length > 0
      ? [createTable(replay === null ? handlerColumns : callColumns, width).page(handlers)]
      : []),
    ...((lanes[0]?.deliveries ?? 0) > 1 ? [createTable(laneColumns, width).page(lanes)] : []),
    ...(entries !== null && entries.left.length > 0
      ? [createTable(leftColumns, width).page(entries.left)]
      : []),
  ];
  return parts.join('\n\n');
}

/** What the entries that match would become: those verdicts that any of them has. */
function becomingText(entries: PlanView['entries']): string {
  const counts = Object.entries(entries?.verdicts ?? {}).filter(([, count]) => count > 0);
  return counts.length === 0
    ? ''
    : `, as ${counts.map(([verdict, count]) => `${String(count)} ${verdict}`).join(', ')}`;
}

function sentence({ items, entries, replay }: PlanView, request: PlanRequest): string {
  switch (request.action) {
    case 'retry':
      return `${countOf(items, 'dead delivery', 'dead deliveries')} to retry`;
    case 'discard':
      return `${countOf(items, 'delivery', 'deliveries')} to discard${items === 0 && request.deliveries.status === undefined ? ': without --status pending, dead ones only' : ''}`;
    case 'release': {
      const { tried = 0, passing = 0 } = entries ?? {};
      return `${countOf(items, 'held entry', 'held entries')}; of ${String(tried)} tried, ${String(passing)} match the contract now${becomingText(entries)}`;
    }
    case 'repair':
      return `${countOf(items, 'subject')} to repair; told to ${heardBy[request.repair.handlers]}`;
    case 'replay':
      return replay === null ? '' : replayText(replay, items);
  }
}

const heardBy = { none: 'no handler', machines: 'machines only', all: 'machines and handlers' };

function replayText(
  { events, events_called: called, subjects, pruned, target }: NonNullable<PlanView['replay']>,
  calls: number,
): string {
  const leftOut = pruned === 0 ? '' : ` (${countOf(pruned, 'pruned event')} left out)`;
  const found = `${countOf(events, 'event')} of ${countOf(subjects, 'subject')}${leftOut}`;
  if (target !== null) return `${found}, posted to ${target}`;
  return called === events
    ? `${found}, ${countOf(calls, 'call')}`
    : `${found} match, ${countOf(calls, 'call')} of ${countOf(called, 'event')}`;
}

/** Overtaken items that are listed. */
const MAX_SHOWN = 10;

/** What is left out because newer content is on top, or would bring older content on top, with some of it. */
function overtakenText({ count, run, shown }: PlanView['overtaken']): string {
  const some = shown
    .slice(0, MAX_SHOWN)
    .map(({ id, handler, by }) => `  ${id} for ${handler}${by === null ? '' : `, by event ${by}`}`);
  const those = `${countOf(count, 'delivery', 'deliveries')} left out: overtaken, as the handler handles a later event of the subject first. --include-overtaken runs ${count === 1 ? 'it' : 'them'}`;
  const running = `${countOf(run, 'delivery is', 'deliveries are')} older than what the handler has handled or handles first of the subject: it gets the older content last`;
  const lines = [...(count > 0 ? [those] : []), ...(run > 0 ? [running] : []), ...some];
  return [...lines, ...(some.length < count + run ? ['  …'] : [])].join('\n');
}

/** Why events of a kind that is defined now are left out, and what helps. */
function unrecognizedText(events: number): string {
  return (
    `${countOf(events, 'event')} left out: unrecognized when ${events === 1 ? 'it' : 'they'} came, before the kind was defined. ` +
    '`portaria events recognize` makes them events of the kind, and a handler on a wildcard, such as company.*, gets them as they are (docs/contract.md)'
  );
}
