import { Option, type Command } from 'commander';
import { parseSubjectName, subjectName, type Subject } from '../../../event/subject.ts';
import { sameSubjects } from '../../../privacy/identifier.ts';
import { holdView, type HoldView } from '../../../view/finding-view.ts';
import { operateOnStore, type CommandOperation } from '../../audited.ts';
import { jsonOption } from '../../options/list-options.ts';
import { parseSubject } from '../../options/values.ts';
import { countOf } from '../../../kernel/text/count.ts';
import { readableTime } from '../../output/format.ts';
import { wholeList } from '../../output/pages.ts';
import type { Column } from '../../output/table.ts';
import { writeList } from '../../output/write-list.ts';
import type { Session } from '../../session.ts';
import { notFound, withStore } from '../../with-store.ts';
import { actorName } from './given-person.ts';

interface AddFlags {
  readonly reason: string;
  readonly by?: string;
  readonly json: boolean;
}

const columns: readonly Column<HoldView>[] = [
  { heading: 'placed', value: (hold) => readableTime(hold.placed_at) },
  { heading: 'subject', value: (hold) => hold.subject },
  { heading: 'by', value: (hold) => hold.placed_by },
  { heading: 'reason', shrinks: true, value: (hold) => hold.reason },
];

/** `portaria privacy hold`: subjects whose content must be neither erased nor pruned. */
export function addHold(privacy: Command, session: Session): void {
  const hold = privacy
    .command('hold')
    .description('subjects whose content must be neither erased nor pruned');
  hold
    .command('add')
    .description('hold a subject; a hold of user:77 covers user-login:77, and of company:12 company-login:12')
    .argument('<subject>', 'family:id', parseSubject)
    .addOption(new Option('--reason <text>', 'why').makeOptionMandatory())
    .option('--by <name>', 'who holds it (default: the user of the operating system)')
    .addOption(jsonOption())
    .action(async (subject: Subject, { reason, by, json }: AddFlags) => {
      const subjects = related(subject);
      await operateOnStore(session, operationOf('addHold', subject, reason), (store) =>
        store.hold(subjects, { reason, placedBy: actorName(by) }),
      );
      const names = subjects.map(subjectName);
      await session.print(json ? JSON.stringify({ held: names }) : `Held: ${names.join(', ')}`);
    });
  hold
    .command('remove')
    .description('end the hold of a subject')
    .argument('<subject>', 'family:id', parseSubject)
    .addOption(jsonOption())
    .action(async (subject: Subject, { json }: { json: boolean }) => {
      const removed = await operateOnStore(session, operationOf('removeHold', subject), async (store) => {
        const count = await store.removeHolds(related(subject));
        if (count === 0) notFound('hold of', subjectName(subject), 'portaria privacy hold list');
        return count;
      });
      await session.print(json ? JSON.stringify({ removed }) : `${countOf(removed, 'hold')} removed.`);
    });
  hold
    .command('list')
    .description('list the held subjects')
    .addOption(jsonOption())
    .action(async ({ json }: { json: boolean }) => {
      await withStore(session, async (store) => {
        const held = (await store.holds()).map(holdView);
        await writeList(session, wholeList(held), { columns, json, empty: 'No subject is held.' });
      });
    });
}

function related(subject: Subject): readonly Subject[] {
  return sameSubjects(subjectName(subject)).flatMap((name) => parseSubjectName(name) ?? []);
}

function operationOf(action: string, subject: Subject, reason: string | null = null): CommandOperation {
  return { action, subject: { subject: subjectName(subject) }, reason, logged: true };
}
