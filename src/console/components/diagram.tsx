/** Draws the diagram of a machine. */
import type { FC } from 'hono/jsx';
import type { TransitionTable } from '../../handle/define/transition-table.ts';
import type { DrawnArrow, PhaseBox } from '../diagram/arrows.ts';
import { arrowKey, graphOf, type Move } from '../diagram/graph.ts';
import { layOut, type Layout } from '../diagram/layout.ts';
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
  /** Where the box of a phase leads to; null without a link. */
  readonly address?: (phase: string) => string | null;
}

/** Layouts of tables without further moves: a table never changes while the process runs. */
const layouts = new WeakMap<TransitionTable, Layout | null>();

/** Lays out a table; null when it is too large to draw. */
function layoutOf(table: TransitionTable, made: readonly Move[] = []): Layout | null {
  const known = made.length === 0 ? layouts.get(table) : undefined;
  if (known !== undefined) return known;
  const graph = graphOf(table, made);
  const layout = graph === null ? null : layOut(graph);
  if (made.length === 0) layouts.set(table, layout);
  return layout;
}

/** Draws a table of moves. The frame around it scrolls; the table of moves says the same in words. */
export const Diagram: FC<{ readonly table: TransitionTable; readonly marks: Marks }> = ({ table, marks }) => {
  const words = usePage().words.machines;
  const layout = layoutOf(table, marks.made);
  if (layout === null) return <p class="soft">{words.tooLarge}</p>;
  const { width, height, boxes, arrows, start } = layout;
  const made = new Set(marks.made?.map(arrowKey));
  // Arrows that the subject went along lie above the others.
  const sorted = arrows.toSorted((one, other) => Number(isMade(one, made)) - Number(isMade(other, made)));
  return (
    <div class="diagram" tabindex={0} role="region" aria-label={words.diagram}>
      <svg
        width={width}
        height={height}
        viewBox={`0 0 ${String(width)} ${String(height)}`}
        role="group"
        aria-label={words.moves}
      >
        <g class="arrow">
          <path class="line" d={`M${String(start.x - 16)} ${String(start.y)}H${String(start.x - 7)}`} />
          <path class="head" d={`M${String(start.x)} ${String(start.y)}l-7 -4v8z`} />
          <circle class="head" cx={start.x - 20} cy={start.y} r="4" />
        </g>
        {sorted.map((drawn) => (
          <ArrowLine drawn={drawn} made={isMade(drawn, made)} />
        ))}
        {boxes.map((box) => (
          <Box box={box} marks={marks} />
        ))}
        {sorted.map((drawn) => (
          <ArrowLabel drawn={drawn} />
        ))}
      </svg>
    </div>
  );
};

function isMade({ arrow }: DrawnArrow, made: ReadonlySet<string>): boolean {
  return made.has(arrowKey(arrow));
}

const ArrowLine: FC<{ readonly drawn: DrawnArrow; readonly made: boolean }> = ({ drawn, made }) => {
  const words = usePage().words.machines;
  const { from, to, signals, expected } = drawn.arrow;
  const title = expected ? words.arrow(from, to, signals.join(', ')) : words.unexpected(from, to);
  return (
    <g class={['arrow', made && 'made', !expected && 'jump'].filter((each) => each !== false).join(' ')}>
      <title>{title}</title>
      <path class="line" d={drawn.line} />
      <path class="head" d={drawn.head} />
    </g>
  );
};

const ArrowLabel: FC<{ readonly drawn: DrawnArrow }> = ({ drawn }) => (
  <>
    {drawn.label.map(({ x, y, text }) => (
      <text class="label" x={x} y={y} text-anchor="middle" aria-hidden="true">
        {text}
      </text>
    ))}
  </>
);

const Box: FC<{ readonly box: PhaseBox; readonly marks: Marks }> = ({ box, marks }) => {
  const { words } = usePage();
  const { phase, x, y, width, height, text } = box;
  const counted = marks.counted?.get(phase) ?? null;
  const isPresent = marks.present?.has(phase) === true;
  const isPassed = marks.passed?.has(phase) === true;
  const below = isPresent ? words.machines.present : counted;
  const middle = y + height / 2;
  const content = (
    <>
      <title>{isPresent ? `${phase}: ${words.machines.present}` : words.machines.box(phase, counted)}</title>
      <rect x={x} y={y} width={width} height={height} rx="7" />
      <text class="name" x={x + width / 2} y={below === null ? middle + 4 : middle - 2} text-anchor="middle">
        {text}
      </text>
      {below !== null && (
        <text class="count" x={x + width / 2} y={middle + 14} text-anchor="middle">
          {below}
        </text>
      )}
    </>
  );
  const classes = ['box', isPresent && 'present', !isPresent && isPassed && 'passed'];
  const name = classes.filter((each) => each !== false).join(' ');
  const address = marks.address?.(phase) ?? null;
  return address === null ? (
    <g class={name}>{content}</g>
  ) : (
    <a class={name} href={address}>
      {content}
    </a>
  );
};
