/** Draws small charts. */
import type { FC } from 'hono/jsx';

const STEP = 4;
const HEIGHT = 40;
/** A value above 0 is seen, however small it is beside the others. */
const LEAST = 1.5;

/** One row of values of a small chart; null where nothing is known. */
export interface Layer {
  readonly shape: 'bars' | 'area';
  readonly tone: 'plain' | 'ok' | 'warn' | 'bad';
  readonly values: readonly (number | null)[];
}

interface SparkProps {
  /** What the chart shows, in a sentence. */
  readonly label: string;
  /** Layers of one scale, the first one behind the others. */
  readonly layers: readonly Layer[];
}

/** A small chart, drawn on the server. Its texts stand beside it, so that they keep their size. */
export const Spark: FC<SparkProps> = ({ label, layers }) => {
  const max = Math.max(0, ...layers.flatMap(({ values }) => values.map((value) => value ?? 0)));
  const width = Math.max(1, ...layers.map(({ values }) => values.length)) * STEP;
  const y = (value: number): number =>
    value <= 0 ? HEIGHT : round(HEIGHT - Math.max(LEAST, (value / max) * (HEIGHT - 1)));
  return (
    <svg
      viewBox={`0 0 ${String(width)} ${String(HEIGHT + 1)}`}
      preserveAspectRatio="none"
      class="spark"
      role="img"
      aria-label={label}
    >
      <path d={`M0 ${String(HEIGHT)}.5H${String(width)}`} class="base" vector-effect="non-scaling-stroke" />
      {layers.map(({ shape, tone, values }) => (
        <path d={shape === 'bars' ? barsOf(values, y) : areaOf(values, y)} class={`${shape} ${tone}`} />
      ))}
    </svg>
  );
};

function barsOf(values: readonly (number | null)[], y: (value: number) => number): string {
  return values
    .map((value, at) =>
      value === null || value <= 0
        ? ''
        : `M${String(at * STEP)} ${String(HEIGHT)}V${String(y(value))}h${String(STEP - 1)}V${String(HEIGHT)}z`,
    )
    .join('');
}

/** An area with gaps where nothing is known, in steps: a value holds for its whole step. */
function areaOf(values: readonly (number | null)[], y: (value: number) => number): string {
  let drawn = '';
  for (const [at, value] of values.entries()) {
    if (value === null) continue;
    const top = String(y(value));
    drawn += values[at - 1] == null ? `M${String(at * STEP)} ${String(HEIGHT)}V${top}` : `V${top}`;
    drawn += `h${String(STEP)}`;
    if (values[at + 1] == null) drawn += `V${String(HEIGHT)}z`;
  }
  return drawn;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
