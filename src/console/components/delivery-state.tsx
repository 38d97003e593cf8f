/** Shows the outcome of deliveries. */
import type { FC } from 'hono/jsx';
import type { DeliveryStatus } from '../../store/queries.ts';
import { usePage } from '../page.ts';
import { State, type Tone } from '../../pages/state.tsx';

const deliveryTones: Readonly<Record<DeliveryStatus, Tone>> = {
  pending: 'warn',
  running: 'warn',
  succeeded: 'ok',
  dead: 'bad',
  skipped: 'off',
};

export const DeliveryState: FC<{ readonly status: DeliveryStatus }> = ({ status }) => (
  <State tone={deliveryTones[status]} word={usePage().words.delivery[status]} />
);

const verdictTones = { new: 'ok', stale: 'warn', ambiguous: 'warn' } as const;

export const VerdictState: FC<{ readonly verdict: keyof typeof verdictTones }> = ({ verdict }) => (
  <State tone={verdictTones[verdict]} word={usePage().words.verdict[verdict]} />
);

/** The outcome of an event over all its deliveries: the worst of them, with a count. */
export const OutcomeState: FC<{ readonly statuses: readonly DeliveryStatus[] }> = ({ statuses }) => {
  const { words } = usePage();
  if (statuses.length === 0) return <State tone="off" word={words.outcome.none} />;
  for (const status of ['dead', 'running', 'pending'] as const) {
    const count = statuses.filter((each) => each === status).length;
    if (count > 0)
      return <State tone={deliveryTones[status]} word={words.outcome[status](count, statuses.length)} />;
  }
  return <State tone="ok" word={words.outcome.done(statuses.length)} />;
};
