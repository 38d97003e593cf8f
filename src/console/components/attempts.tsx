/** The attempts of a delivery. */
import type { FC } from 'hono/jsx';
import type { AttemptView, DeliveryDetailView } from '../../view/delivery-view.ts';
import { usePage } from '../page.ts';
import { Time } from '../../pages/time.tsx';

/** The failed attempts of a delivery, and its success. */
export const Attempts: FC<{ readonly delivery: DeliveryDetailView }> = ({ delivery }) => {
  const { words, format } = usePage();
  const { history } = delivery;
  if (history.length === 0) return null;
  return (
    <section class="attempts">
      <h3 class="mono">{delivery.effect ?? delivery.handler}</h3>
      <ol>
        {history.map((attempt, at) => (
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
            <ErrorOnce history={history} at={at} />
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

/** The error of an attempt, or which one before it had the same. */
const ErrorOnce: FC<{ readonly history: readonly AttemptView[]; readonly at: number }> = ({
  history,
  at,
}) => {
  const words = usePage().words.payload;
  const error = history[at]?.error ?? null;
  const first = history.findIndex((each) => each.error === error);
  if (error !== null && first < at) return <p class="soft">{words.sameError(first + 1)}</p>;
  return <p class="error">{error ?? words.pruned}</p>;
};
