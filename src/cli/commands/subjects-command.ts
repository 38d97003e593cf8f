import type { Command } from 'commander';
import type { Subject } from '../../event/subject.ts';
import { subjectTimeline } from '../../operate/subject-timeline.ts';
import { jsonOption } from '../options/list-options.ts';
import { parseSubject } from '../options/subject.ts';
import { unmaskOption, type DetailFlags } from '../options/unmask-option.ts';
import { timelineText } from '../output/timeline-text.ts';
import type { Session } from '../session.ts';
import { withStore } from '../with-store.ts';

interface SubjectFlags extends DetailFlags {
  readonly source?: string;
}

export function addSubjects(program: Command, session: Session): void {
  program
    .command('subjects')
    .description('the entities that events are about')
    .command('show')
    .description('all that is known of a subject: every event, what became of it, what it changed')
    .argument('<subject>', 'family:id, for example company-login:12', parseSubject)
    .option('--source <name>', 'only events from this source')
    .addOption(unmaskOption())
    .addOption(jsonOption())
    .action(async (subject: Subject, { source, unmask, json }: SubjectFlags) => {
      await withStore(session, async (store) => {
        const timeline = await subjectTimeline(store, {
          subject,
          unmask,
          ...(source !== undefined && { source }),
        });
        await session.print(json ? JSON.stringify(timeline) : timelineText(timeline));
      });
    });
}
