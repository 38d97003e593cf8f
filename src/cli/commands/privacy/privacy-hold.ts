/** `portaria privacy hold`: subjects whose content must be neither erased nor pruned. */
import { Option, type Command } from 'commander';
import { subjectName, type Subject } from '../../../event/subject.ts';
import { endHold, placeHold } from '../../../privacy/holds.ts';
import { holdView, type HoldView } from '../../../view/privacy/finding-view.ts';
import { operateOnStore, type CommandOperation } from '../../audited.ts';
import { jsonOption } from '../../options/list-options.ts';
import { parseSubject } from '../../options/conditions.ts';
import { countOf } from '../../../kernel/text/count.ts';
import { readableTime } from '../../output/format.ts';
import { wholeList } from '../../output/pages.ts';
import type { Column } from '../../output/table.ts';
import { writeList } from '../../output/write-list.ts';
import type { Session } from '../../session.ts';
import { orSee, withStore } from '../../with-store.ts';
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
      const { names, warning } = await operateOnStore(
        session,
        operationOf('addHold', subject, reason, by),
        (store) => placeHold(store, subject, { reason, by: actorName(session, by) }),
      );
      await session.print(json ? JSON.stringify({ held: names, warning }) : `Held: ${names.join(', ')}`);
      if (warning !== null) await session.note(`warning: ${warning}`);
    });
  hold
    .command('remove')
    .description('end the hold of a subject')
    .argument('<subject>', 'family:id', parseSubject)
    .option('--reason <text>', 'why, for the audit')
    .addOption(jsonOption())
    .action(async (subject: Subject, { reason, json }: { reason?: string; json: boolean }) => {
      const operation = operationOf('removeHold', subject, reason);
      const removed = await operateOnStore(session, operation, async (store, _config, addDetails) => {
        const ended = endHold(store, subject, reason ?? null);
        const count = await orSee('portaria privacy hold list', ended);
        addDetails({ removed: String(count) });
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

function operationOf(
  action: string,
  subject: Subject,
  reason: string | null = null,
  by?: string,
): CommandOperation {
  const named = { subject: subjectName(subject), ...(by !== undefined && { by }) };
  return { action, subject: named, reason, announced: true };
}
