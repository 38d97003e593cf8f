import { eventually } from '../../support/eventually.ts';
import type { RunningPortaria } from '../../support/running-portaria.ts';

/** The statistics of a running Portaria, from its private port. */
export interface Statistics {
  readonly events: number;
  readonly repeats: number;
  readonly subjects: number;
  readonly quarantine_held: number;
  readonly quarantine_bytes: number;
  readonly quarantine_dropped: { readonly verified: number; readonly unverified: number };
  /** The newest first. */
  readonly outages: readonly { readonly cause: 'store' | 'stalled'; readonly refused: number }[];
  readonly deliveries: Readonly<Record<'pending' | 'running' | 'succeeded' | 'dead' | 'skipped', number>>;
}

export async function statisticsOf({ operators }: RunningPortaria): Promise<Statistics> {
  const response = await fetch(new URL('/api/stats', operators));
  return (await response.json()) as Statistics;
}

/** Waits until no delivery is pending or running. */
export function allHandled(running: RunningPortaria, timeoutMs = 300_000): Promise<Statistics> {
  return eventually(
    'every delivery is finished',
    async () => {
      const statistics = await statisticsOf(running);
      return statistics.deliveries.pending + statistics.deliveries.running === 0 && statistics;
    },
    timeoutMs,
  );
}
