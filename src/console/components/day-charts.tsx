/** The charts of the last 24 hours. */
import type { FC } from 'hono/jsx';
import { mostOf, sumOf, type Day } from '../day.ts';
import { usePage } from '../page.ts';
import type { ActivityPoint, HandlerPoint } from '../../store/activity.ts';
import { instantText } from '../../view/instant-text.ts';
import { Spark, type Layer } from './spark.tsx';
import { Table, type Column } from '../../pages/table.tsx';
import { Time } from '../../pages/time.tsx';

/** Steps of the charts that a row of their table stands for. */
const STEPS_OF_ROW = 4;

/** Steps of a chart, also those in which no process ran. */
interface Course<P> {
  readonly points: readonly (P | null)[];
}

/** What came, what ended and what waits, in the last 24 hours: four numbers with a chart each. */
export const DayFigures: FC<{ readonly day: Day; readonly backlog: number; readonly oldestMs: number }> = ({
  day: { steps, points, lastHour },
  backlog,
  oldestMs,
}) => {
  const { words, format } = usePage();
  const { charts } = words;
  if (points.every((point) => point === null)) return <p class="soft">{charts.noNumbers}</p>;
  const number = (value: number): string => format.number(value);
  const duration = (ms: number): string => (ms === 0 ? charts.none : format.duration(ms));
  type Value = (point: ActivityPoint) => number;
  /** A sum of 24 hours, and the rate of the last hour. */
  const sum = (name: string, value: Value) => {
    const rate = sumOf(lastHour.points, value) / lastHour.minutes;
    const shown = number(rate < 10 ? Math.round(rate * 10) / 10 : Math.round(rate));
    return {
      ...{ name, now: number(sumOf(points, value)), layer: layer('bars', 'plain', points, value) },
      note: charts.perMinute(shown, Math.min(60, Math.ceil(lastHour.minutes))),
      label: charts.total(name, sumOf(points, value), mostOf(points, value)),
      column: numberColumn<ActivityPoint>(name, (row) => number(sumOf(row, value))),
    };
  };
  /** A value of now, and the highest of 24 hours. */
  const level = (name: string, now: number, tone: Layer['tone'], value: Value, text = number) => {
    const most = Math.max(now, mostOf(points, value));
    return {
      ...{ name, now: text(now), layer: layer('area', tone, points, value) },
      note: most > 0 && charts.most(text(most)),
      label: most > 0 ? charts.highest(name, text(now), text(most)) : `${name}: ${text(0)}`,
      column: numberColumn<ActivityPoint>(name, (row) => text(mostOf(row, value))),
    };
  };
  const figures = [
    sum(charts.came, ({ received }) => received),
    sum(charts.ended, ({ finished }) => finished),
    level(charts.backlog, backlog, 'plain', (point) => point.backlog),
    level(charts.oldest, oldestMs, 'warn', (point) => point.oldestMs, duration),
  ];
  return (
    <>
      <dl class="figures day">
        {figures.map(({ name, now, note, label, layer: drawn }) => (
          <div>
            <dt>{name}</dt>
            <dd>
              {now} <small>{note}</small>
              <Spark label={label} layers={[drawn]} />
            </dd>
          </div>
        ))}
      </dl>
      <Numbers steps={steps} points={points} columns={figures.map(({ column }) => column)} />
    </>
  );
};

/** The numbers of charts as a table: the begin of some steps, and their values. */
export function Numbers<P>({
  steps,
  points,
  columns,
}: Course<P> & Pick<Day, 'steps'> & { readonly columns: readonly Column<Course<P>>[] }) {
  const { charts, columns: heads } = usePage().words;
  const from = {
    head: heads.from,
    cell: ({ at }: { readonly at: number }) => <Time iso={instantText(at)} />,
  };
  const rows = steps.flatMap((at, first) => {
    const own = points.slice(first, first + STEPS_OF_ROW).filter((point) => point !== null);
    return first % STEPS_OF_ROW === 0 ? [{ at, points: own }] : [];
  });
  return (
    <details class="numbers">
      <summary>{charts.numbers}</summary>
      <Table rows={rows.toReversed()} columns={[from, ...columns]} />
    </details>
  );
}

export const attemptsOf = ({ succeeded, failed }: HandlerPoint): number => succeeded + failed;

/** The attempts of a handler over 24 hours. */
export const Successes: FC<Course<HandlerPoint> & { readonly handler: string }> = ({ handler, points }) => {
  const [succeeded, failed] = [sumOf(points, (one) => one.succeeded), sumOf(points, (one) => one.failed)];
  return (
    <Spark
      label={usePage().words.charts.successOf(handler, succeeded, failed)}
      layers={[
        layer('bars', 'bad', points, attemptsOf),
        layer('bars', 'ok', points, (point) => point.succeeded),
      ]}
    />
  );
};

/** The share of successes: a hundred per cent only if all attempts succeeded. */
export function shareColumn() {
  const { words, format } = usePage();
  return numberColumn<HandlerPoint>(words.charts.share, (points) => {
    const all = sumOf(points, attemptsOf);
    const tenths = Math.floor((sumOf(points, ({ succeeded }) => succeeded) / all) * 1000);
    return all === 0 ? '–' : `${format.number(tenths / 10)} %`;
  });
}

/** A layer of a value of each step. */
function layer<P>(
  shape: Layer['shape'],
  tone: Layer['tone'],
  points: Course<P>['points'],
  value: (point: P) => number,
): Layer {
  return { shape, tone, values: points.map((point) => (point === null ? null : value(point))) };
}

/** A column of numbers of the steps that a row stands for. */
export function numberColumn<P>(head: string, text: (points: Course<P>['points']) => string) {
  return {
    head,
    as: 'number' as const,
    cell: ({ points }: Course<P>) => (points.length === 0 ? '–' : text(points)),
  };
}
