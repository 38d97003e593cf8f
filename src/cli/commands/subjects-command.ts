import type { Command } from 'commander';
import type { Subject } from '../../event/subject.ts';
import { subjectTimeline, type Timeline } from '../../operate/subject-timeline.ts';
import { jsonOption, limitOption } from '../options/list-options.ts';
import { parseSubject } from '../options/subject.ts';
import { unmaskOption, type DetailFlags } from '../options/unmask-option.ts';
import type { Limit } from '../output/pages.ts';
import { timelineEntryText, timelineHeading } from '../output/timeline-text.ts';
import type { Session } from '../session.ts';
import { writeText } from '../terminal/text-output.ts';
import { withStore } from '../with-store.ts';

interface SubjectFlags extends DetailFlags {
  readonly source?: string;
  readonly newest: boolean;
  readonly after?: string;
  readonly limit: Limit;
}

export function addSubjects(program: Command, session: Session): void {
  program
    .command('subjects')
    .description('the entities that events are about')
    .command('show')
    .description('all that is known of a subject: every event, what became of it, what it changed')
    .argument('<subject>', 'family:id, for example company-login:12', parseSubject)
    .option('--source <name>', 'only events from this source')
    .option('--newest', 'the newest events first', false)
    .option('--after <event>', 'go on behind this event')
    .addOption(limitOption('events', 500))
    .addOption(unmaskOption())
    .addOption(jsonOption())
    .action(async (subject: Subject, flags: SubjectFlags) => {
      await withStore(session, async (store) => {
        const { source, newest, after, unmask } = flags;
        const timeline = await subjectTimeline(store, {
          subject,
          unmask,
          order: newest ? 'newest' : 'oldest',
          ...(source !== undefined && { source }),
          ...(after !== undefined && { after }),
        });
        await writeTimeline(session, timeline, flags);
      });
    });
}

/** One event at a time: a subject may have more of them than memory holds. */
async function writeTimeline(
  session: Session,
  timeline: Timeline,
  { limit, json }: Pick<SubjectFlags, 'limit' | 'json'>,
): Promise<void> {
  const { subject, masked, total } = timeline;
  const write = (text: string) => writeText(session.terminal.out, text);
  const head = JSON.stringify({ subject, masked, total });
  await write(json ? `${head.slice(0, -1)},"events":[` : `${timelineHeading(timeline)}\n`);
  let shown = 0;
  let next: string | null = null;
  for await (const { entry, left } of timeline.entries()) {
    await write(
      json ? `${shown === 0 ? '' : ','}${JSON.stringify(entry)}` : `\n${timelineEntryText(entry)}\n`,
    );
    shown += 1;
    if (shown !== limit) continue;
    next = left > 0 ? entry.id : null;
    break;
  }
  if (json) await write(`],"next":${JSON.stringify(next)}}\n`);
  if (next !== null)
    await session.note(
      `Cut at ${String(shown)} of ${String(total)} events; --limit all shows every one, --after ${next} goes on.`,
    );
}
