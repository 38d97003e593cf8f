import type { Command } from 'commander';
import type { Session } from '../../session.ts';
import { addEventsExport } from './events-export.ts';
import { addEventsImport } from './events-import.ts';
import { addEventsList } from './events-list.ts';
import { addEventsShow } from './events-show.ts';
import { addEventsTail } from './events-tail.ts';

export function addEvents(program: Command, session: Session): void {
  const events = program.command('events').description('the log: every webhook that became an event');
  addEventsList(events, session);
  addEventsShow(events, session);
  addEventsTail(events, session);
  addEventsExport(events, session);
  addEventsImport(events, session);
}
