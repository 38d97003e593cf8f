import type { Command } from 'commander';
import { eventDetail } from '../../../operate/event-detail.ts';
import { jsonOption } from '../../options/list-options.ts';
import { unmaskOption, type DetailFlags } from '../../options/unmask-option.ts';
import { eventDetailText } from '../../output/event-detail-text.ts';
import type { Session } from '../../session.ts';
import { withStore } from '../../with-store.ts';

export function addEventsShow(events: Command, session: Session): void {
  events
    .command('show')
    .description('one event with its payload and what became of it')
    .argument('<id>', 'full id or number')
    .addOption(unmaskOption())
    .addOption(jsonOption())
    .action(async (id: string, { unmask, json }: DetailFlags) => {
      await withStore(session, async (store) => {
        const event = await eventDetail(store, id, { unmask });
        await session.print(
          json ? JSON.stringify(event) : eventDetailText(event, session.terminal.out.columns()),
        );
      });
    });
}
