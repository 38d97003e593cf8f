/** `portaria rehearse`: runs new handlers over stored events, with nothing sent. */
import { readFileSync, statSync } from 'node:fs';
import { resolve, sep } from 'node:path';
import type { Command } from 'commander';
import { z } from 'zod';
import { PortariaError } from '../../../kernel/errors.ts';
import { countOf } from '../../../kernel/text/count.ts';
import { DAY_MS } from '../../../kernel/time/durations.ts';
import { compare, describe, type Finding } from '../../../rehearse/findings.ts';
import type { Answer, Rehearsed } from '../../../rehearse/protocol.ts';
import { exitCode } from '../../exit-code.ts';
import { listenForInterrupt } from '../../interruption.ts';
import { addEventFilterOptions, eventFilter, type EventFilterFlags } from '../../options/event-filter.ts';
import { jsonOption } from '../../options/list-options.ts';
import { parseCount } from '../../options/values.ts';
import { wholeList } from '../../output/pages.ts';
import type { Column } from '../../output/table.ts';
import { writeList } from '../../output/write-list.ts';
import type { Session } from '../../session.ts';

import { rehearseApart } from './rehearse-apart.ts';

interface RehearseFlags extends EventFilterFlags {
  readonly handlers: string;
  readonly against?: string;
  readonly sample?: number;
  readonly from?: string;
  readonly answers?: string;
  readonly json: boolean;
}

const columns: readonly Column<Finding>[] = [
  { heading: 'handler', value: (row) => row.handler },
  { heading: 'finding', value: (row) => row.finding, tone: (row) => (row.attention ? 'attention' : null) },
  { heading: 'count', align: 'right', value: (row) => row.count },
  { heading: 'sample', value: (row) => row.sample },
  { heading: 'what', wraps: true, value: (row) => row.what },
];

/** The age of the oldest event, where nothing else selects events. */
const WEEK_MS = 7 * DAY_MS;

export function addRehearse(program: Command, session: Session): void {
  const command = program
    .command('rehearse')
    .description('run new handlers over stored events of the last 7 days, with nothing sent or stored')
    .requiredOption('--handlers <folder>', 'the handlers to rehearse')
    .option('--against <folder>', 'say only what these handlers do otherwise')
    .option('--sample <n>', 'only so many events, evenly spread', parseCount)
    .option('--from <file>', 'the events of an export, instead of the database')
    .option(
      '--answers <file>',
      'answers to requests: a JSON list of { method, url, status, body }; a url may end in *',
    );
  addEventFilterOptions(command, session.terminal.clock)
    .addOption(jsonOption())
    .addHelpText(
      'after',
      '\nExits with 6 if a handler fails, if something differs, or if no handler has run. Handlers have the time and\nrandomness of their event. They have no network, write no file and start no process and no thread; their\nenvironment has no database and no secret of Portaria. A rehearsal cannot hold back native modules, such as\nSQLite: code that knows the path of a database can write into it. Handlers and effects with a transaction\nare not rehearsed.\n',
    )
    .action(async (flags: RehearseFlags) => {
      const { cwd, clock } = session.terminal;
      const { signal, release } = listenForInterrupt(session.terminal);
      const now = clock.now();
      const isNamed = flags.from !== undefined || flags.id !== undefined;
      const rehearsal: Parameters<typeof rehearseApart>[0] = {
        // The plain envelopes of a file arrive when they are read.
        filter: {
          ...(!isNamed && { since: now - WEEK_MS }),
          ...(flags.from === undefined && { until: now + 1 }),
          ...eventFilter(flags),
        },
        sample: flags.sample ?? null,
        from: flags.from === undefined ? null : resolve(cwd, flags.from),
        answers: flags.answers === undefined ? [] : readAnswers(resolve(cwd, flags.answers)),
      };
      const run = (folder: string, flag = '--handlers') => {
        const env = { ...session.environment(), PORTARIA_HANDLERS: folderOf(flag, resolve(cwd, folder)) };
        return rehearseApart(rehearsal, { env, cwd, clock, signal });
      };
      try {
        const { against } = flags;
        // The old handlers run twice: what differs between the runs says nothing about the new ones.
        const old =
          against === undefined ? [] : [await run(against, '--against'), await run(against, '--against')];
        const next = await run(flags.handlers);
        const [one, other] = old;
        const found = one === undefined || other === undefined ? describe(next) : compare(one, other, next);
        // Paths of the working folder are short: a table does not break them.
        const shown = found.map((row) => ({ ...row, what: row.what.replaceAll(cwd + sep, '') }));
        await writeList(session, wholeList(shown), { columns, json: flags.json });
        const pruned =
          next.pruned === 0 ? '' : `; ${String(next.pruned)} left out, whose bodies have been removed`;
        const unread = next.unread === 0 ? '' : `; ${countOf(next.unread, 'line')} cannot be read`;
        await session.note(`${countOf(next.events, 'event')} rehearsed${pruned}${unread}. Nothing was sent.`);
        const nothing = whyNothing(next);
        if (nothing !== null) await session.note(`ATTENTION: no handler was rehearsed: ${nothing}.`);
        if (nothing !== null || found.some(({ attention }) => attention))
          session.exitCode = exitCode.attention;
      } catch (error) {
        if (!signal.aborted) throw error;
        session.exitCode = exitCode.interrupted;
      } finally {
        release();
      }
    });
}

/** Why no handler has run: a check that passes would prove nothing. Null where one has. */
function whyNothing({ runs, events, pruned, unread }: Rehearsed): string | null {
  if ([...runs.values()].some(({ outcome }) => outcome !== 'not rehearsed')) return null;
  if (runs.size > 0) return 'all that take these events need a transaction';
  if (events > 0) return 'none takes these events';
  if (pruned > 0) return 'the bodies of these events have been removed';
  return unread === 0 ? 'no event matches' : 'no line of the file is an event that matches';
}

const STATUS = 'must be a whole number from 200 to 599';
const answerList = z.array(
  z.strictObject(
    {
      method: z.string('must be a method, such as POST').toUpperCase().optional(),
      url: z.string('must be the address that is answered; it may end in *'),
      status: z.int(STATUS).min(200, STATUS).max(599, STATUS).optional(),
      body: z.unknown().optional(),
    },
    'must be an object of url, method, status and body alone',
  ),
  'must be a list',
);

function readAnswers(file: string): readonly Answer[] {
  let given: unknown;
  try {
    given = JSON.parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw new PortariaError('invalid-argument', `--answers: ${file}: ${(cause as Error).message}`, { cause });
  }
  const { success, data, error } = answerList.safeParse(given);
  if (success) return data;
  const problems = error.issues.map(({ path, message }) => ({
    where: ['answers', ...path].join('.'),
    message,
  }));
  throw new PortariaError('invalid-argument', `--answers: ${file} is no list of answers`, { problems });
}

function folderOf(flag: string, folder: string): string {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return folder;
  throw new PortariaError('invalid-argument', `${flag}: ${folder} is not a folder`);
}
