/** `portaria stats`: prints the number of events, deliveries and quarantine entries, and the running processes. */
import type { Command } from 'commander';
import { showStatistics } from '../../operate/show/show-statistics.ts';
import { jsonOption } from '../options/list-options.ts';
import { statisticsText } from '../output/statistics-text.ts';
import type { Session } from '../session.ts';
import { withStore } from '../with-store.ts';

export function addStats(program: Command, session: Session): void {
  program
    .command('stats')
    .description(
      'count events, deliveries and quarantine entries; show running processes, last arrivals, open breakers and outages',
    )
    .addOption(jsonOption())
    .action(async ({ json }: { json: boolean }) => {
      await withStore(session, async (store) => {
        const statistics = await showStatistics(store);
        await session.print(
          json ? JSON.stringify(statistics) : statisticsText(statistics, session.terminal.out.columns()),
        );
      });
    });
}
