/** The charts of the last 24 hours. */
import type { Child, FC } from 'hono/jsx';
import { isEmpty, mostOf, rowsOf, sumOf, type Day } from '../day.ts';
import { usePage } from '../page.ts';
import type { ActivityPoint, HandlerPoint } from '../../store/activity.ts';
import { instantText } from '../../view/instant-text.ts';
import { Spark, type Layer } from './spark.tsx';
import type { Format } from '../../pages/language/format.ts';
import { Table } from '../../pages/table.tsx';
import { Time } from '../../pages/time.tsx';

/** What came, what ended and what waits, in the last 24 hours: four numbers with a chart each. */
export const DayFigures: FC<{ readonly day: Day; readonly backlog: number; readonly oldestMs: number }> = ({
  day,
  backlog,
  oldestMs,
}) => {
  const { words, format } = usePage();
  const { charts, columns } = words;
  if (isEmpty(day)) return <p class="soft">{charts.noNumbers}</p>;
  const { points } = day;
  const duration = (ms: number): string => (ms === 0 ? charts.none : format.duration(ms));
  return (
    <>
      <dl class="figures day">
        <CountFigure name={charts.came} day={day} value={({ received }) => received} />
        <CountFigure name={charts.ended} day={day} value={({ finished }) => finished} />
        <LevelFigure
          name={charts.backlog}
          now={backlog}
          layer={layer('area', 'plain', points, (point) => point.backlog)}
          text={(value) => format.number(value)}
        />
        <LevelFigure
          name={charts.oldest}
          now={oldestMs}
          layer={layer('area', 'warn', points, (point) => point.oldestMs)}
          text={duration}
        />
      </dl>
      <details class="numbers">
        <summary>{charts.numbers}</summary>
        <Table
          rows={rowsOf(day.steps, points)}
          columns={[
            { head: columns.from, cell: ({ at }) => <Time iso={instantText(at)} /> },
            numberColumn<ActivityPoint>(charts.came, (row) =>
              format.number(sumOf(row, ({ received }) => received)),
            ),
            numberColumn<ActivityPoint>(charts.ended, (row) =>
              format.number(sumOf(row, ({ finished }) => finished)),
            ),
            numberColumn<ActivityPoint>(charts.backlog, (row) =>
              format.number(mostOf(row, (point) => point.backlog)),
            ),
            numberColumn<ActivityPoint>(charts.oldest, (row) =>
              duration(mostOf(row, (point) => point.oldestMs)),
            ),
          ]}
        />
      </details>
    </>
  );
};

interface CountFigureProps {
  readonly name: string;
  readonly day: Day;
  readonly value: (point: ActivityPoint) => number;
}

/** A sum of 24 hours, and the rate of the last hour. */
const CountFigure: FC<CountFigureProps> = ({ name, day: { points, lastHour }, value }) => {
  const { words, format } = usePage();
  const { charts } = words;
  const sum = sumOf(points, value);
  const rate = sumOf(lastHour.points, value) / lastHour.minutes;
  return (
    <Figure
      name={name}
      value={format.number(sum)}
      note={charts.perMinute(
        format.number(rate < 10 ? Math.round(rate * 10) / 10 : Math.round(rate)),
        Math.min(60, Math.ceil(lastHour.minutes)),
      )}
    >
      <Spark
        label={charts.total(name, sum, mostOf(points, value))}
        layers={[layer('bars', 'plain', points, value)]}
      />
    </Figure>
  );
};

interface LevelFigureProps {
  readonly name: string;
  readonly now: number;
  readonly layer: Layer;
  readonly text: (value: number) => string;
}

/** A value of now, and the highest of 24 hours. */
const LevelFigure: FC<LevelFigureProps> = ({ name, now, layer: drawn, text }) => {
  const { charts } = usePage().words;
  const most = Math.max(now, ...drawn.values.map((value) => value ?? 0));
  return (
    <Figure name={name} value={text(now)} note={charts.most(text(most))}>
      <Spark label={charts.highest(name, text(now), text(most))} layers={[drawn]} />
    </Figure>
  );
};

const Figure: FC<{
  readonly name: string;
  readonly value: string;
  readonly note: string;
  readonly children?: Child;
}> = ({ name, value, note, children }) => (
  <div>
    <dt>{name}</dt>
    <dd>
      {value} <small>{note}</small>
      {children}
    </dd>
  </div>
);

/** The attempts of a handler over 24 hours. */
export const Course: FC<{
  readonly handler: string;
  readonly points: readonly (HandlerPoint | null)[];
}> = ({ handler, points }) => {
  const succeeded = sumOf(points, (point) => point.succeeded);
  const failed = sumOf(points, (point) => point.failed);
  return (
    <Spark
      label={usePage().words.charts.successOf(handler, succeeded, failed)}
      layers={[
        layer('bars', 'bad', points, (point) => point.succeeded + point.failed),
        layer('bars', 'ok', points, (point) => point.succeeded),
      ]}
    />
  );
};

/** A hundred per cent only if all of them succeeded. */
export function shareText(part: number, all: number, format: Format): string {
  if (all === 0) return '–';
  const tenths = Math.floor((part / all) * 1000);
  return `${format.number(tenths / 10)} %`;
}

/** The course of a kind over 24 hours. */
export const KindSpark: FC<{ readonly kind: string; readonly hours: readonly number[] | undefined }> = ({
  kind,
  hours = [],
}) => {
  const { charts } = usePage().words;
  const count = hours.reduce((sum, events) => sum + events, 0);
  const label = charts.kindOf(kind, count, Math.max(0, ...hours));
  return <Spark label={label} layers={[{ shape: 'bars', tone: 'plain', values: hours }]} />;
};

/** A layer of a value of each step. */
function layer<P extends ActivityPoint | HandlerPoint>(
  shape: Layer['shape'],
  tone: Layer['tone'],
  points: readonly (P | null)[],
  value: (point: P) => number | null,
): Layer {
  return { shape, tone, values: points.map((point) => (point === null ? null : value(point))) };
}

/** A column of numbers of the steps that a row stands for. */
export function numberColumn<P>(head: string, text: (points: readonly P[]) => string) {
  return {
    head,
    as: 'number' as const,
    cell: ({ points }: { readonly points: readonly P[] }) => (points.length === 0 ? '–' : text(points)),
  };
}
