/** Draws the order of versions beside the order of arrival. */
import type { FC } from 'hono/jsx';
import type { TimelineEntryView } from '../../view/timeline-view.ts';
import { fitText } from '../diagram/text-size.ts';
import { usePage } from '../page.ts';
import type { PathStep } from '../../operate/show/machine-path.ts';

const ROW = 26;
const TOP = 26;
const [LEFT, RIGHT] = [62, 210];
/** Width of the kinds and times, right of the order of arrival. */
const LABELS = 460;
/** Width of the states of one machine, left of the order of versions. */
const STATES = 160;
/** Characters of a state. */
const MAX_COLUMNS = 21;

/** What a machine made of the events, in the order of versions. */
export interface StatesAlong {
  readonly machine: string;
  /** The address of the subject's page on the machine. */
  readonly address: string;
  /** The events that it takes. */
  readonly steps: readonly PathStep[];
}

/** Newest arrival first. */
type Entries = readonly TimelineEntryView[];

/**
 * Draws events twice, in the order of their versions and in the order of arrival, with a line between: a line
 * that crosses others is an event that arrived late. Left of it are the states of machines, which follow the
 * order of versions.
 */
export const Orders: FC<{ readonly entries: Entries; readonly machines: readonly StatesAlong[] }> = ({
  entries,
  machines,
}) => {
  const { words, format } = usePage();
  const { arrived, byVersion } = ordersOf(entries);
  const versionRow = new Map(byVersion.map((entry, row) => [entry.id, row]));
  const height = TOP + arrived.length * ROW + 6;
  const room = machines.length * STATES;
  return (
    <svg
      viewBox={`${String(-room)} 0 ${String(RIGHT + LABELS + room)} ${String(height)}`}
      width={RIGHT + LABELS + room}
      height={height}
      class="orders"
      role="group"
      aria-label={words.story.along}
    >
      {machines.map((states, index) => (
        <States states={states} events={byVersion.map(({ id }) => id)} x={-STATES * (index + 1)} />
      ))}
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
            <title>{`${entry.kind}, ${words.verdict[entry.verdict]}`}</title>
            <path
              d={`M${String(LEFT)} ${String(from)}L${String(RIGHT)} ${String(to)}`}
              class={late ? 'line late' : 'line'}
            />
            <circle cx={LEFT} cy={from} r="4.5" class={late ? 'point late' : 'point'} />
            <circle cx={RIGHT} cy={to} r="4.5" class={late ? 'point late' : 'point'} />
            <text x={RIGHT + 16} y={to + 4} class="kind">
              {fitText(entry.kind, 34).text}
            </text>
            <text x={RIGHT + 270} y={to + 4} class="soft" data-instant={entry.received_at}>
              {format.instant(entry.received_at)}
            </text>
          </a>
        );
      })}
    </svg>
  );
};

/** Whether all events arrived in the order of their versions. */
export function arrivedInOrder(entries: Entries): boolean {
  const { arrived, byVersion } = ordersOf(entries);
  return arrived.every((entry, row) => entry === byVersion[row]);
}

/** Both orders, the oldest first. */
function ordersOf(entries: Entries): Readonly<Record<'arrived' | 'byVersion', Entries>> {
  const arrived = entries.toReversed();
  const at = ({ version, received_at: received }: TimelineEntryView): string => version ?? received;
  // Without a version, arrival orders. The sort is stable, so such events keep their order.
  const byVersion = arrived.some(({ version }) => version !== null)
    ? arrived.toSorted((a, b) => (at(a) < at(b) ? -1 : Number(at(a) > at(b))))
    : arrived;
  return { arrived, byVersion };
}

/** The states of one machine, each from the event that brought it to the next. */
const States: FC<{
  readonly states: StatesAlong;
  readonly events: readonly string[];
  readonly x: number;
}> = ({ states: { machine, address, steps }, events, x }) => {
  const { words } = usePage();
  const known = new Map(steps.map((step) => [step.eventId, step]));
  // Neighbouring events that leave the machine in the same phases are one span. Those that it does not take are passed over.
  const spans: { readonly text: string; readonly from: number; to: number }[] = [];
  for (const [row, event] of events.entries()) {
    const last = spans.at(-1);
    const text = known.get(event)?.phases.join(', ') || last?.text;
    if (text === last?.text && last !== undefined) last.to = row;
    else if (text !== undefined) spans.push({ text, from: row, to: row });
  }
  return (
    <g class="states">
      <a href={address}>
        <title>{machine}</title>
        <text x={x} y="12" class="machine">
          {fitText(machine, MAX_COLUMNS).text}
        </text>
      </a>
      {spans.map(({ text, from, to }) => (
        <g>
          <title>{text}</title>
          <path d={`M${String(x + 6)} ${String(y(from) - ROW / 2 + 4)}V${String(y(to) + ROW / 2 - 4)}`} />
          <text x={x + 14} y={y(from) + 4}>
            {fitText(text, MAX_COLUMNS).text}
          </text>
        </g>
      ))}
      {events.map((event, row) =>
        known.get(event)?.anomalies.map((message) => (
          <circle cx={x + 6} cy={y(row)} r="4.5" class="odd">
            <title>{words.machines.anomaly(message)}</title>
          </circle>
        )),
      )}
    </g>
  );
};

function y(row: number): number {
  return TOP + row * ROW + ROW / 2;
}
