/** `portaria subjects`: lists subjects, and prints the timeline of one. */
import type { Command } from 'commander';
import { subjectName, type Subject } from '../../../event/subject.ts';
import { countOf } from '../../../kernel/text/count.ts';
import { printableLine } from '../../../kernel/text/printable.ts';
import { subjectTimeline, type Timeline } from '../../../operate/show/subject-timeline.ts';
import type { ChangeView } from '../../../view/change-view.ts';
import type { TimelineEntryView } from '../../../view/timeline-view.ts';
import { jsonOption, limitOption, unmaskOption, type DetailFlags } from '../../options/list-options.ts';
import { parseSubject } from '../../options/conditions.ts';
import { handlerName } from '../../output/delivery-columns.ts';
import { readableTime } from '../../output/format.ts';
import type { Limit } from '../../output/pages.ts';
import { maskingContract } from '../../known-contract.ts';
import type { Store } from '../../../store/store.ts';
import { operateOnStore } from '../../audited.ts';
import type { Session } from '../../session.ts';
import { orSee } from '../../with-store.ts';
import { writeText } from '../../terminal/text-output.ts';
import { addSubjectsList } from './subjects-list.ts';

interface SubjectFlags extends DetailFlags {
  readonly source?: string;
  readonly newest: boolean;
  readonly after?: string;
  readonly limit: Limit;
}

export function addSubjects(program: Command, session: Session): void {
  const subjects = program.command('subjects').description('the entities that events are about');
  addSubjectsList(subjects, session);
  subjects
    .command('show')
    .description('show every event of a subject: its deliveries, and what it changed')
    .argument('<subject>', 'family:id, for example company-login:12', parseSubject)
    .option('--source <name>', 'only events from this source')
    .option('--newest', 'newest events first (default: oldest first)', false)
    .option('--after <event>', 'start after this event')
    .addOption(limitOption('events', 500))
    .addOption(unmaskOption())
    .addOption(jsonOption())
    .action(async (subject: Subject, flags: SubjectFlags) => {
      const contract = await maskingContract(session);
      const show = async (store: Store): Promise<void> => {
        const { source, newest, after, unmask } = flags;
        const request = {
          subject,
          unmask,
          contract,
          order: newest ? 'newest' : 'oldest',
          ...(source !== undefined && { source }),
          ...(after !== undefined && { after }),
        } as const;
        const timeline = await orSee('portaria subjects list', subjectTimeline(store, request));
        await writeTimeline(session, timeline, flags);
      };
      const shown = { action: 'showSubject', unmasked: true, subject: { subject: subjectName(subject) } };
      await operateOnStore(session, flags.unmask ? shown : null, show, contract);
    });
}

/** Writes one event at a time: a subject may have more events than fit into memory. */
async function writeTimeline(
  session: Session,
  timeline: Timeline,
  { limit, json }: Pick<SubjectFlags, 'limit' | 'json'>,
): Promise<void> {
  const { subject, masked, total } = timeline;
  const write = (text: string) => writeText(session.terminal.out, text);
  const head = JSON.stringify({ subject, masked, total });
  await write(json ? `${head.slice(0, -1)},"events":[` : `${headingOf(timeline)}\n`);
  let shown = 0;
  let next: string | null = null;
  for await (const { entry, left } of timeline.entries()) {
    await write(json ? `${shown === 0 ? '' : ','}${JSON.stringify(entry)}` : `\n${entryText(entry)}\n`);
    shown += 1;
    if (shown !== limit) continue;
    next = left > 0 ? entry.id : null;
    break;
  }
  if (json) await write(`],"next":${JSON.stringify(next)}}\n`);
  if (next !== null)
    await session.note(
      `Showed ${String(shown)} of ${String(total)} events; --after ${next} shows the next ones, --limit all every one.`,
    );
}

function headingOf({ subject, masked }: Timeline): string {
  return `${printableLine(subject)}${masked ? ' (personal data masked; --unmask shows it)' : ''}`;
}

/** One event: a line, then a line for each delivery and each changed field. */
function entryText(event: TimelineEntryView): string {
  const marks = [
    ...event.flags,
    ...(event.repeats > 0 ? [`repeated ${countOf(event.repeats, 'time')}`] : []),
    ...(event.source === 'default' ? [] : [`from ${event.source}`]),
  ];
  const suffix = marks.length > 0 ? ` (${marks.join(', ')})` : '';
  const head = `${readableTime(event.received_at)}  ${event.id}  ${event.kind}  ${event.verdict}${suffix}`;
  const deliveries = event.deliveries.map((delivery) => {
    const attempts = countOf(delivery.attempts, 'attempt');
    const replay = delivery.replay === null ? '' : `, replay ${delivery.replay}`;
    const error = delivery.last_error === null ? '' : `: ${delivery.last_error}`;
    return `  ${handlerName(delivery)}  ${delivery.status} after ${attempts}${replay}${error}`;
  });
  const since = event.compared_with === null ? [] : [`  changes since ${event.compared_with}:`];
  const changes =
    event.changes.length > 0
      ? [...since, ...event.changes.map((change) => `    ${changeText(change)}`)]
      : since.map((line) => `${line} none`);
  return [head, ...deliveries, ...changes].map(printableLine).join('\n');
}

function changeText({ path, from, to }: ChangeView): string {
  if (from === undefined) return `${path}: ${JSON.stringify(to)} (added)`;
  if (to === undefined) return `${path}: removed (was ${JSON.stringify(from)})`;
  return `${path}: ${JSON.stringify(from)} -> ${JSON.stringify(to)}`;
}
