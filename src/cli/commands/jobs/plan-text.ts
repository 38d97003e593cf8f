/** Formats for people what a plan would do. */
import type { PlanView } from '../../../view/plan-view.ts';
import { countOf } from '../../../kernel/text/count.ts';
import { readableTime } from '../../output/format.ts';
import { createTable, type Column } from '../../output/table.ts';
import { unrecognizedText } from '../replay/plan-text.ts';

const handlerColumns: readonly Column<PlanView['handlers'][number]>[] = [
  { heading: 'handler', shrinks: true, value: ({ handler }) => handler },
  { heading: 'items', align: 'right', value: ({ items }) => items },
  { heading: 'lanes', align: 'right', optional: true, value: ({ lanes }) => lanes },
  { heading: 'retried before', align: 'right', optional: true, value: (each) => each.retried_before },
  { heading: 'oldest', optional: true, value: ({ oldest_at }) => readableTime(oldest_at) },
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

export function planText(plan: PlanView, width: number): string {
  const { entries, handlers, lanes, replay } = plan;
  const parts = [
    sentence(plan),
    ...(replay !== null && replay.unrecognized > 0 ? [unrecognizedText(replay.unrecognized)] : []),
    ...(handlers.length > 0 ? [createTable(handlerColumns, width).page(handlers)] : []),
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

function sentence({ action, items, entries, replay }: PlanView): string {
  switch (action) {
    case 'retry':
      return `${countOf(items, 'dead delivery', 'dead deliveries')} to retry`;
    case 'discard':
      return `${countOf(items, 'delivery', 'deliveries')} to discard`;
    case 'release': {
      const { tried = 0, passing = 0 } = entries ?? {};
      return `${countOf(items, 'held entry', 'held entries')}; of ${String(tried)} tried, ${String(passing)} match the contract now${becomingText(entries)}`;
    }
    case 'replay':
      return `${countOf(replay?.events ?? 0, 'event')}, ${countOf(items, 'call')}`;
  }
}
