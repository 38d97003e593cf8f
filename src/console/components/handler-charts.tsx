/** The charts of a handler. */
import type { FC } from 'hono/jsx';
import { mostOf, rowsOf, sumOf, type Day } from '../day.ts';
import { usePage } from '../page.ts';
import type { HandlerPoint } from '../../store/activity.ts';
import { instantText } from '../../view/instant-text.ts';
import { layer, numberColumn } from './day-charts.tsx';
import { Spark } from './spark.tsx';
import { State } from '../../pages/state.tsx';
import { Table } from '../../pages/table.tsx';
import { Time } from '../../pages/time.tsx';

interface HandlerChartsProps {
  readonly handler: string;
  readonly day: Day;
  /** Whether its breaker is open now. */
  readonly isOpen: boolean;
}

/** How long a handler's attempts took, how many failed, and when its breaker was open, in 24 hours. */
export const HandlerCharts: FC<HandlerChartsProps> = ({ handler, day, isOpen }) => {
  const { words, format } = usePage();
  const { charts } = words;
  const points = day.handlers.get(handler);
  if (points === undefined) return null;
  const failed = sumOf(points, (point) => point.failed);
  const openMs = sumOf(points, (point) => point.breakerMs);
  const longest = (which: 'p50Ms' | 'p95Ms') => format.duration(highest(points, which));
  const duration = charts.durationOf(longest('p50Ms'), longest('p95Ms'));
  const failures = charts.failuresOf(
    failed,
    sumOf(points, ({ dead }) => dead),
  );
  const breaker =
    openMs === 0 && isOpen
      ? charts.breakerOpened
      : charts.breakerOf(openMs === 0 ? null : format.duration(openMs));
  return (
    <section class="sheet handler" id={`handler-${handler}`}>
      <h3 class="mono">{handler}</h3>
      <div class="charts">
        <figure>
          <figcaption>
            {charts.duration} <span class="soft">{duration}</span>
          </figcaption>
          <Spark
            label={duration}
            layers={[
              layer('area', 'plain', points, ({ p95Ms }) => p95Ms),
              layer('line', 'ok', points, ({ p50Ms }) => p50Ms),
            ]}
          />
        </figure>
        <figure>
          <figcaption>
            {charts.failures} <span class="soft">{failures}</span>
          </figcaption>
          <Spark
            label={failures}
            layers={[
              layer('bars', 'warn', points, (point) => point.failed),
              layer('bars', 'bad', points, (point) => point.dead),
            ]}
          />
        </figure>
        <figure>
          <figcaption>
            {charts.breaker}{' '}
            <State tone={isOpen ? 'bad' : 'ok'} word={charts.breakerNow[isOpen ? 'open' : 'closed']} />{' '}
            <span class="soft">{breaker}</span>
          </figcaption>
          <Spark
            label={breaker}
            max={1}
            layers={[layer('bars', 'bad', points, ({ breakerMs }) => (breakerMs > 0 ? 1 : 0))]}
          />
        </figure>
      </div>
      <Numbers handler={handler} day={day} points={points} />
    </section>
  );
};

const Numbers: FC<{
  readonly handler: string;
  readonly day: Day;
  readonly points: readonly (HandlerPoint | null)[];
}> = ({ handler, day, points }) => {
  const { words, format } = usePage();
  const { charts } = words;
  return (
    <details class="numbers">
      <summary>{charts.numbersOf(handler)}</summary>
      <Table
        rows={rowsOf(day.steps, points)}
        columns={[
          { head: charts.from, cell: ({ at }) => <Time iso={instantText(at)} /> },
          numberColumn<HandlerPoint>(charts.half, (row) => format.duration(highest(row, 'p50Ms'))),
          numberColumn<HandlerPoint>(charts.nearly, (row) => format.duration(highest(row, 'p95Ms'))),
          numberColumn<HandlerPoint>(charts.succeeded, (row) =>
            format.number(sumOf(row, ({ succeeded }) => succeeded)),
          ),
          numberColumn<HandlerPoint>(charts.failed, (row) =>
            format.number(sumOf(row, ({ failed }) => failed)),
          ),
          numberColumn<HandlerPoint>(charts.breaker, (row) =>
            format.duration(sumOf(row, ({ breakerMs }) => breakerMs)),
          ),
        ]}
      />
    </details>
  );
};

function highest(points: readonly (HandlerPoint | null)[], which: 'p50Ms' | 'p95Ms'): number {
  return mostOf(points, (point) => point[which] ?? 0);
}
