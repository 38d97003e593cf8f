/** `portaria handlers pause` and `resume`. */
import { InvalidArgumentError, Option, type Command } from 'commander';
import type { OperationSubject } from '../../../audit/operation.ts';
import { subjectName, type Subject } from '../../../event/subject.ts';
import { PortariaError } from '../../../kernel/errors.ts';
import type { Clock } from '../../../kernel/time/clock.ts';
import { parseDuration } from '../../../kernel/time/durations.ts';
import { pauseDispatch, resumeDispatch } from '../../../operate/change/pause-dispatch.ts';
import { isByOperator, type PauseScope } from '../../../store/pauses.ts';
import { pauseDetails, resumeDetails } from '../../../view/change-details.ts';
import { pauseView, type PauseView } from '../../../view/pause-view.ts';
import { operateOnStore, operatorName } from '../../audited.ts';
import { knownHandlers } from '../../known-handlers.ts';
import { momentParser } from '../../options/event-filter.ts';
import { jsonOption } from '../../options/list-options.ts';
import { repeatable } from '../../options/repeatable.ts';
import { parseSubject } from '../../options/conditions.ts';
import { readableTime } from '../../output/format.ts';
import { wholeList } from '../../output/pages.ts';
import type { Column } from '../../output/table.ts';
import { writeList } from '../../output/write-list.ts';
import type { Session } from '../../session.ts';
import { withStore } from '../../with-store.ts';

interface ScopeFlags {
  readonly source?: string;
  readonly subject?: Subject;
}

interface PauseFlags extends ScopeFlags {
  readonly reason: string;
  readonly by?: string;
  readonly until?: number;
  readonly json: boolean;
}

interface ResumeFlags extends ScopeFlags {
  readonly id?: readonly string[];
  readonly all: boolean;
  readonly json: boolean;
}

/** The table columns of a list of pauses. */
export const pauseColumns: readonly Column<PauseView>[] = [
  { heading: 'id', value: ({ id }) => id },
  { heading: 'paused', value: ({ scope }) => scope },
  { heading: 'since', value: (pause) => readableTime(pause.paused_at) },
  {
    heading: 'until',
    value: ({ until, dead_letter: failed }) =>
      readableTime(until) || (failed === null ? 'resumed' : 'retried'),
  },
  { heading: 'by', value: (pause) => pause.paused_by },
  { heading: 'reason', shrinks: true, value: ({ reason }) => reason },
];

/** `portaria handlers pause`, `resume` and `pauses`. */
export function addPauses(handlers: Command, session: Session): void {
  addPause(handlers, session);
  addResume(handlers, session);
  handlers
    .command('pauses')
    .description(
      'list what is paused, and since when, by whom and why; and the lanes that wait behind failed deliveries',
    )
    .addOption(jsonOption())
    .action(async ({ json }: { json: boolean }) => {
      await withStore(session, async (store) => {
        const paused = wholeList((await store.pauses()).map(pauseView));
        await writeList(session, paused, { columns: pauseColumns, json, empty: 'Nothing is paused.' });
      });
    });
}

function addPause(handlers: Command, session: Session): void {
  const { clock } = session.terminal;
  const command = handlers
    .command('pause')
    .description(
      'pause a handler, a source, or the lane of a handler and a subject; what runs finishes, nothing else starts, and webhooks are accepted as ever',
    )
    .argument('[handler]', 'the handler or machine; a machine with its effects');
  addScopeOptions(command)
    .addOption(new Option('--reason <text>', 'why; shown wherever events wait').makeOptionMandatory())
    .option('--by <name>', 'who pauses it (default: the user of the operating system)')
    .option(
      '--until <time>',
      'resume by itself after a duration (90m, 2h, 3d) or at a time (local, unless it has a zone; ISO 8601)',
      endParser(clock),
    )
    .addOption(jsonOption())
    .action(async (handler: string | undefined, flags: PauseFlags) => {
      const scope = scopeOf(handler, flags);
      const { reason, by = operatorName(session.terminal), until = null } = flags;
      const subject = { ...namedScope(scope), ...(flags.by !== undefined && { by: flags.by }) };
      const operation = { action: 'pauseDispatch', subject, reason };
      const { pause, isRunning } = await operateOnStore(
        session,
        operation,
        async (store, config, addDetails) => {
          const { registry, processes } = await knownHandlers(store, config);
          const request = { scope, reason, by, until, registry, clock };
          const pause = await pauseDispatch(store, request);
          addDetails(pauseDetails(pause));
          return { pause, isRunning: processes.length > 0 };
        },
      );
      await session.print(flags.json ? JSON.stringify(pause) : pausedText(pause, isRunning));
    });
}

function addResume(handlers: Command, session: Session): void {
  const command = handlers
    .command('resume')
    .description(
      'end a pause, or let a lane go on behind a failed delivery; its lanes continue at once, in order',
    )
    .argument('[handler]', 'the handler or machine, as it was paused');
  addScopeOptions(command)
    .option('--id <id>', 'the pause with this id, for example p3; repeatable', repeatable)
    .option('--all', 'every pause of an operator', false)
    .addOption(jsonOption())
    .action(async (handler: string | undefined, flags: ResumeFlags) => {
      const scope = scopeOf(handler, flags);
      const operation = {
        action: 'resumeDispatch',
        subject: {
          ...namedScope(scope),
          ...(flags.id && { pause: flags.id }),
          ...(flags.all && { all: 'true' }),
        },
      };
      const resumed = await operateOnStore(session, operation, async (store, _config, addDetails) => {
        const named = [handler, flags.source, flags.subject, flags.id].some((given) => given !== undefined);
        if (named === flags.all)
          throw new PortariaError(
            'invalid-argument',
            flags.all
              ? '--all ends every pause of an operator: leave the others out'
              : 'Say what to resume: a handler, --source, --subject, --id, or --all',
          );
        const all = flags.all ? (await store.pauses()).filter(isByOperator).map(({ id }) => id) : undefined;
        const ids = all ?? flags.id;
        const ended = await resumeDispatch(store, ids === undefined ? { scope } : { ids });
        addDetails(resumeDetails(ended));
        return ended;
      });
      const text = resumed.map(({ scope }) => `Resumed: ${scope}`).join('\n');
      await session.print(flags.json ? resumed.map((each) => JSON.stringify(each)).join('\n') : text);
    });
}

function addScopeOptions(command: Command): Command {
  return command
    .option('--source <name>', 'events from this source')
    .option('--subject <family:id>', 'of the handler, only this subject: its lane', parseSubject);
}

function scopeOf(handler: string | undefined, { source, subject }: ScopeFlags): PauseScope {
  return { handler: handler ?? null, source: source ?? null, subject: subject ?? null };
}

/** The scope as the audit names it. */
function namedScope({ handler, source, subject }: PauseScope): OperationSubject {
  return {
    ...(handler !== null && { handler }),
    ...(source !== null && { source }),
    ...(subject !== null && { subject: subjectName(subject) }),
  };
}

/** Parses a duration from now, or a time. */
function endParser(clock: Clock): (value: string) => number {
  const parseMoment = momentParser(clock);
  return (value) => {
    const duration = parseDuration(value);
    if (duration !== undefined) return clock.now() + duration;
    try {
      return parseMoment(value);
    } catch {
      throw new InvalidArgumentError('Write a duration such as 90m, 2h or 3d, or a time such as 18:30.');
    }
  };
}

function pausedText(pause: PauseView, isRunning: boolean): string {
  const until = pause.until === null ? '' : ` until ${readableTime(pause.until)}`;
  const taken =
    pause.acknowledged_at !== null
      ? 'Nothing in it starts from now on; what runs finishes. Webhooks are still accepted.'
      : isRunning
        ? 'The running process has not taken note yet: see `portaria handlers pauses`.'
        : 'No process runs now: the next one starts with it.';
  return `Paused: ${pause.scope}${until} (${pause.id})\n${taken}`;
}
