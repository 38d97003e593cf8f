import type { FC } from 'hono/jsx';
import type { TimelineEntryView } from '../../view/timeline-view.ts';
import { usePage } from '../page.ts';

const ROW = 26;
const TOP = 26;
const [LEFT, RIGHT] = [62, 210];

/**
 * Draws events twice, in the order of their versions and in the order of arrival, with a line between: a line
 * that crosses others is an event that arrived late.
 *
 * @param entries newest arrival first
 */
export const Orders: FC<{ readonly entries: readonly TimelineEntryView[] }> = ({ entries }) => {
  const { words, format } = usePage();
  const arrived = entries.toReversed();
  // Without a version, arrival orders. The sort is stable, so such events keep their places.
  const byVersion = arrived.some(({ version }) => version !== null)
    ? arrived.toSorted((a, b) => compare(a.version ?? a.received_at, b.version ?? b.received_at))
    : arrived;
  const versionRow = new Map(byVersion.map((entry, row) => [entry.id, row]));
  const height = TOP + arrived.length * ROW + 6;
  return (
    <svg viewBox={`0 0 290 ${String(height)}`} class="orders" role="group" aria-label={words.subject.orders}>
      <text x={LEFT} y="12" text-anchor="middle" class="soft">
        {words.subject.byVersion}
      </text>
      <text x={RIGHT} y="12" text-anchor="middle" class="soft">
        {words.subject.byArrival}
      </text>
      <path d={`M${String(LEFT)} 20V${String(height)}M${String(RIGHT)} 20V${String(height)}`} class="axis" />
      {arrived.map((entry, row) => {
        const [from, to] = [y(versionRow.get(entry.id) ?? row), y(row)];
        const late = entry.verdict === 'stale';
        return (
          <a href={`/events/${entry.id}`}>
            <title>{`${entry.kind}, ${format.instant(entry.received_at)}, ${words.verdict[entry.verdict]}`}</title>
            <path
              d={`M${String(LEFT)} ${String(from)}L${String(RIGHT)} ${String(to)}`}
              class={late ? 'line late' : 'line'}
            />
            <circle cx={LEFT} cy={from} r="4.5" class={late ? 'point late' : 'point'} />
            <circle cx={RIGHT} cy={to} r="4.5" class={late ? 'point late' : 'point'} />
          </a>
        );
      })}
    </svg>
  );
};

function y(row: number): number {
  return TOP + row * ROW + ROW / 2;
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
