/** `portaria audit`: lists what operators did, and checks that nothing of it was changed or removed. */
import { InvalidArgumentError, type Command } from 'commander';
import { countOf } from '../../kernel/text/count.ts';
import type { AuditMark } from '../../store/audit.ts';
import { auditCheckView, auditView, type AuditCheckView, type AuditView } from '../../view/audit-view.ts';
import { auditConditionsWith, auditFilter } from '../../view/parameters/conditions.ts';
import { exitCode } from '../exit-code.ts';
import { addConditions } from '../options/conditions.ts';
import { momentParameter, TIME } from '../options/event-filter.ts';
import { addListOptions, jsonOption, type ListFlags } from '../options/list-options.ts';
import { readableTime } from '../output/format.ts';
import { pages, viewed } from '../output/pages.ts';
import type { Column } from '../output/table.ts';
import { writeList } from '../output/write-list.ts';
import type { Session } from '../session.ts';
import { withStore } from '../with-store.ts';

export function addAudit(program: Command, session: Session): void {
  const audit = program
    .command('audit')
    .description('what operators did: changes, personal data that was shown, rejected requests');
  addList(audit, session);
  addVerify(audit, session);
}

type AuditFlags = ListFlags & Parameters<typeof auditFilter>[0];

const columns: readonly Column<AuditView>[] = [
  { heading: 'time', value: ({ at }) => readableTime(at) },
  { heading: 'id', optional: true, value: ({ id }) => id },
  { heading: 'who', shrinks: true, enough: 24, value: ({ actor }) => actor },
  { heading: 'where', optional: true, value: ({ place }) => place },
  { heading: 'address', optional: true, value: ({ address }) => address },
  {
    heading: 'action',
    value: ({ action, unmasked }) => (unmasked ? `${action} (unmasked)` : action),
    tone: ({ unmasked }) => (unmasked ? 'attention' : null),
  },
  { heading: 'about', shrinks: true, enough: 24, value: ({ subject }) => subjectText(subject) },
  { heading: 'reason', shrinks: true, optional: true, value: ({ reason }) => reason },
  {
    heading: 'result',
    value: ({ result, times }) => (times > 1 ? `${result} ${String(times)} times` : result),
    tone: ({ result }) => (result === 'done' ? null : 'attention'),
  },
];

/** Characters of a value that a table shows, such as of a list of ids. JSON has all of them. */
const MAX_SHOWN = 100;

function subjectText(subject: AuditView['subject']): string {
  return Object.entries(subject)
    .map(([name, value]) => `${name}=${value.length > MAX_SHOWN ? `${value.slice(0, MAX_SHOWN)}…` : value}`)
    .join(' ');
}

function addList(audit: Command, session: Session): void {
  const { unmasked: _, ...conditions } = auditConditionsWith(momentParameter(session.terminal.clock), TIME);
  const command = audit.command('list').description('list what operators did, newest first');
  addConditions(command, conditions).option('--unmasked', 'only where personal data was shown');
  addListOptions(command).action(async ({ json, limit, ...flags }: AuditFlags) => {
    await withStore(session, async (store) => {
      const filter = auditFilter(flags);
      const found = pages(limit, (page) => store.audit(filter, { order: 'newest', ...page }));
      await writeList(session, viewed(found, auditView), {
        columns,
        json,
        empty: 'No entry matches.',
      });
    });
  });
}

interface VerifyFlags {
  readonly known?: AuditMark;
  readonly json: boolean;
}

function addVerify(audit: Command, session: Session): void {
  audit
    .command('verify')
    .description('check that no entry was changed or removed')
    .option(
      '--known <id:hash>',
      'the last entry as an earlier check printed it: it must be there, unchanged',
      parseMark,
    )
    .addOption(jsonOption())
    .addHelpText('after', epilogue)
    .action(async ({ known, json }: VerifyFlags) => {
      await withStore(session, async (store) => {
        const check = auditCheckView(await store.checkAudit(known));
        await session.print(json ? JSON.stringify(check) : checkText(check));
        if (!check.whole) session.exitCode = exitCode.failed;
      });
    });
}

function parseMark(value: string): AuditMark {
  const [id = '', hash = '', ...rest] = value.split(':');
  if (!/^u\d+$/u.test(id) || !/^[0-9a-f]{64}$/u.test(hash) || rest.length > 0)
    throw new InvalidArgumentError('Write it as `audit verify` prints it: u12:<64 hexadecimal digits>.');
  return { id, hash };
}

function checkText({ whole, entries, last, pruned_through: pruned, problems }: AuditCheckView): string {
  const lines = problems.map(({ id, problem }) => `${id} ${problem}`);
  const head = whole
    ? `Whole: ${countOf(entries, 'entry', 'entries')}, none changed or removed.`
    : `NOT WHOLE: ${countOf(problems.length, 'problem')} in ${countOf(entries, 'entry', 'entries')}.`;
  const before = pruned === null ? [] : [`Entries up to ${pruned} were removed by retention.`];
  const mark = last === null ? [] : [`Last entry: ${last.id}:${last.hash}`];
  return [head, ...lines, ...before, ...mark].join('\n');
}

const epilogue = `
Each entry holds a hash of itself and of the entry before it. Whoever can write the file could compute
all of them anew: keep the printed last entry elsewhere, and give it to a later check with --known.
`;
