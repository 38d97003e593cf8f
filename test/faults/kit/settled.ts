import { eventually } from '../../support/eventually.ts';
import type { RunningPortaria } from '../../support/running-portaria.ts';

/** Deliveries by status, as the private port counts them. */
export type DeliveryCounts = Readonly<
  Record<'pending' | 'running' | 'succeeded' | 'dead' | 'skipped', number>
>;

export async function deliveryCounts({ operators }: RunningPortaria): Promise<DeliveryCounts> {
  const response = await fetch(new URL('api/stats', operators));
  return ((await response.json()) as { deliveries: DeliveryCounts }).deliveries;
}

/** Waits until nothing is pending or running, and returns what became of it all. */
export function allSettled(running: RunningPortaria, deadlineMs?: number): Promise<DeliveryCounts> {
  return eventually(
    'no delivery is unfinished',
    async () => {
      const counts = await deliveryCounts(running);
      return counts.pending + counts.running === 0 && counts;
    },
    deadlineMs,
  );
}
