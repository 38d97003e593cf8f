/** Draws the diagram of a machine. */
import type { FC } from 'hono/jsx';
import type { TransitionTable } from '../../handle/define/transition-table.ts';
import { arrowKey, layOut, LINE_HEIGHT, type Arrow, type Move, type PhaseBox } from '../diagram/layout.ts';
import { usePage } from '../page.ts';

/** What is marked in a diagram. */
export interface Marks {
  /** Phases of a subject now. */
  readonly present?: ReadonlySet<string>;
  /** Phases that a subject was in. */
  readonly passed?: ReadonlySet<string>;
  /** Moves that a subject made. Those that the table lacks are drawn, too. */
  readonly made?: readonly Move[];
  /** The number of subjects in each phase, as text. */
  readonly counted?: ReadonlyMap<string, string>;
  /** Where the box of a phase leads to; undefined without a link. */
  readonly address?: (phase: string) => string | undefined;
}

/** Draws a table of moves. The frame around it scrolls; the table of moves says the same in words. */
export const Diagram: FC<{ readonly table: TransitionTable; readonly marks: Marks }> = ({ table, marks }) => {
  const words = usePage().words.machines;
  const layout = layOut(table, marks.made);
  if (layout === null) return <p class="soft">{words.tooLarge}</p>;
  const { left, top, width, height, boxes, arrows } = layout;
  const made = new Set(marks.made?.map(arrowKey));
  // Arrows that the subject went along lie above the others.
  const sorted = arrows.toSorted(
    (one, other) => Number(made.has(arrowKey(one))) - Number(made.has(arrowKey(other))),
  );
  return (
    <div class="diagram" tabindex={0} role="region" aria-label={words.diagram}>
      <svg
        {...{ width, height, viewBox: [left, top, width, height].join(' ') }}
        role="group"
        aria-label={words.moves}
      >
        {boxes.slice(0, 1).map(({ x, y, width: wide }) => (
          <g class="arrow" transform={`translate(${String(x - wide / 2)} ${String(y)})`}>
            <path class="line" d="M-16 0h9" />
            <path class="head" d="M0 0l-7 -4v8z" />
            <circle class="head" cx="-20" r="4" />
          </g>
        ))}
        {sorted.map((arrow) => (
          <ArrowLine arrow={arrow} made={made.has(arrowKey(arrow))} />
        ))}
        {boxes.map((box) => (
          <Box box={box} marks={marks} />
        ))}
        {sorted.map(({ label: { x, y, lines } }) =>
          lines.map((text, at) => (
            <text
              class="label"
              x={x}
              y={y + (at - (lines.length - 1) / 2) * LINE_HEIGHT + 4}
              aria-hidden="true"
            >
              {text}
            </text>
          )),
        )}
      </svg>
    </div>
  );
};

const ArrowLine: FC<{ readonly arrow: Arrow; readonly made: boolean }> = ({ arrow, made }) => {
  const words = usePage().words.machines;
  const { from, to, signals, expected, line, head } = arrow;
  return (
    <g class={['arrow', made && 'made', !expected && 'jump'].filter((each) => each !== false).join(' ')}>
      <title>{expected ? words.arrow(from, to, signals.join(', ')) : words.unexpected(from, to)}</title>
      <path class="line" d={line} />
      <path class="head" d={head} />
    </g>
  );
};

const Box: FC<{ readonly box: PhaseBox; readonly marks: Marks }> = ({ box, marks }) => {
  const { words } = usePage();
  const { phase, x, y, width, height, text } = box;
  const isPresent = marks.present?.has(phase) === true;
  const counted = marks.counted?.get(phase) ?? null;
  const below = isPresent ? words.machines.present : counted;
  const mark = isPresent ? ' present' : marks.passed?.has(phase) === true ? ' passed' : '';
  return (
    <a class={`box${mark}`} href={marks.address?.(phase)}>
      <title>{isPresent ? `${phase}: ${words.machines.present}` : words.machines.box(phase, counted)}</title>
      <rect x={x - width / 2} y={y - height / 2} width={width} height={height} rx="7" />
      <text class="name" x={x} y={below === null ? y + 4 : y - 2}>
        {text}
      </text>
      {below !== null && (
        <text class="count" x={x} y={y + 14}>
          {below}
        </text>
      )}
    </a>
  );
};
