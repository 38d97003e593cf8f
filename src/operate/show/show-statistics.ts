/** Reads the statistics of a store with its running processes. */
import type { Monitoring } from '../../store/monitoring.ts';
import type { Processes } from '../../store/processes.ts';
import type { Queries } from '../../store/queries.ts';
import { processView } from '../../view/process-view.ts';
import { statisticsView, type ShownStatistics } from '../../view/statistics-view.ts';

/**
 * Returns the numbers of a store, and the processes that run its deliveries.
 *
 * @param problems what this process has found
 */
export async function showStatistics(
  store: Pick<Queries, 'statistics'> & Pick<Monitoring, 'monitoring'> & Pick<Processes, 'runningProcesses'>,
  problems?: Parameters<typeof statisticsView>[2],
): Promise<ShownStatistics> {
  const statistics = statisticsView(await store.statistics(), await store.monitoring(), problems);
  const processes = await store.runningProcesses();
  return { ...statistics, processes: processes.map(processView) };
}
