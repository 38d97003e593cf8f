/** Draws the attempts of a delivery. */
import type { FC } from 'hono/jsx';
import type { AttemptView, DeliveryDetailView } from '../../view/delivery-view.ts';
import { usePage } from '../page.ts';
import { Time } from '../../pages/time.tsx';

/** Units of the drawing: its width, the height of a row, and of a bar. */
const WIDTH = 300;
const ROW = 14;
const BAR = 8;
/** The narrowest bar: an attempt of a millisecond beside waits of hours. */
const MIN_BAR = 3;

/** The failed attempts of a delivery on one axis, from the arrival of the event, and each in words. */
export const Attempts: FC<{ readonly delivery: DeliveryDetailView; readonly receivedAt: string }> = ({
  delivery,
  receivedAt,
}) => {
  const { words, format } = usePage();
  const { history } = delivery;
  if (history.length === 0) return null;
  return (
    <section class="attempts">
      <h3 class="mono">{delivery.effect ?? delivery.handler}</h3>
      <Waterfall delivery={delivery} receivedAt={receivedAt} />
      <ol>
        {history.map((attempt) => (
          <li>
            <span class={attempt.outcome === 'dead' ? 'bad' : 'warn'}>
              {words.payload.outcomes[attempt.outcome]}
            </span>{' '}
            {attempt.duration_ms !== null && `${words.payload.took(format.duration(attempt.duration_ms))} · `}
            <Time iso={attempt.ended_at} />
            {attempt.due_at !== null && (
              <span class="soft">
                {' '}
                · {words.payload.nextDue} <Time iso={attempt.due_at} />
              </span>
            )}
            <p class="error">{attempt.error ?? words.payload.pruned}</p>
          </li>
        ))}
        {delivery.status === 'succeeded' && (
          <li>
            <span class="ok">{words.payload.succeeded}</span> · <Time iso={delivery.finished_at} />
          </li>
        )}
      </ol>
    </section>
  );
};

const Waterfall: FC<{ readonly delivery: DeliveryDetailView; readonly receivedAt: string }> = ({
  delivery,
  receivedAt,
}) => {
  const { words } = usePage();
  const { history, status, finished_at: finishedAt } = delivery;
  const begin = Math.min(...history.map(startOf), Date.parse(receivedAt));
  const isOver = status === 'succeeded' && finishedAt !== null;
  const ends = [
    ...history.map(({ ended_at }) => Date.parse(ended_at)),
    ...(isOver ? [Date.parse(finishedAt)] : []),
  ];
  const span = Math.max(1, Math.max(...ends) - begin);
  const x = (at: number): number => Math.round(((at - begin) / span) * (WIDTH - MIN_BAR));
  const rows = history.length + (isOver ? 1 : 0);
  return (
    <svg
      class="waterfall"
      viewBox={`0 0 ${String(WIDTH)} ${String(rows * ROW)}`}
      role="img"
      aria-label={words.payload.timeline(delivery.effect ?? delivery.handler)}
    >
      {history.map((attempt, at) => (
        <Bar
          y={at * ROW}
          from={x(startOf(attempt))}
          to={x(Date.parse(attempt.ended_at))}
          waits={x(at === 0 ? begin : Date.parse(history[at - 1]!.ended_at))}
          tone={attempt.outcome === 'dead' ? 'bad' : 'warn'}
        />
      ))}
      {isOver && (
        <Bar
          y={history.length * ROW}
          from={x(Date.parse(finishedAt))}
          to={x(Date.parse(finishedAt))}
          waits={x(Date.parse(history.at(-1)!.ended_at))}
          tone="ok"
        />
      )}
    </svg>
  );
};

interface BarProps {
  readonly y: number;
  readonly from: number;
  readonly to: number;
  /** The start of the wait before it. */
  readonly waits: number;
  readonly tone: 'ok' | 'warn' | 'bad';
}

const Bar: FC<BarProps> = ({ y, from, to, waits, tone }) => (
  <>
    {from > waits && <path d={`M${String(waits)} ${String(y + ROW / 2)}H${String(from)}`} class="wait" />}
    <rect
      x={String(from)}
      y={String(y + (ROW - BAR) / 2)}
      width={String(Math.max(MIN_BAR, to - from))}
      height={String(BAR)}
      rx="1.5"
      class={tone}
    />
  </>
);

function startOf({ ended_at, duration_ms }: AttemptView): number {
  return Date.parse(ended_at) - (duration_ms ?? 0);
}
