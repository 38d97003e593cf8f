/** The attempts of a delivery. */
import type { FC } from 'hono/jsx';
import type { DeliveryDetailView } from '../../view/delivery-view.ts';
import { usePage } from '../page.ts';
import { Time } from '../../pages/time.tsx';

/** The failed attempts of a delivery, and its success. */
export const Attempts: FC<{ readonly delivery: DeliveryDetailView }> = ({ delivery }) => {
  const { words, format } = usePage();
  const { history } = delivery;
  if (history.length === 0) return null;
  const firstWith = (error: string | null) => history.findIndex((each) => each.error === error);
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
            {attempt.error !== null && firstWith(attempt.error) < at ? (
              <p class="soft">{words.payload.sameError(firstWith(attempt.error) + 1)}</p>
            ) : (
              <p class="error">{attempt.error ?? words.payload.pruned}</p>
            )}
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
