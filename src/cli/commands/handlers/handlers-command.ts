/** `portaria handlers`: which handlers run, and for which kinds. */
import type { Command } from 'commander';
import { patternMatches } from '../../../contract/event-pattern.ts';
import { PortariaError } from '../../../kernel/errors.ts';
import { countOf } from '../../../kernel/text/count.ts';
import { handlerCoverage } from '../../../operate/show/handler-coverage.ts';
import type { CoverageView, HandlerView } from '../../../view/handler-view.ts';
import { pauseView, type PauseView } from '../../../view/pause-view.ts';
import { loadRegistry } from '../../../load-registry.ts';
import { knownHandlers, ownerText, unknownHandler, type KnownHandlers } from '../../known-handlers.ts';
import { addListOptions, type ListFlags } from '../../options/list-options.ts';
import { repeatable } from '../../options/repeatable.ts';
import { wholeList } from '../../output/pages.ts';
import { createTable, type Column } from '../../output/table.ts';
import { writeList } from '../../output/write-list.ts';
import { mayHaveStore } from '../../../store/open-store.ts';
import type { Session } from '../../session.ts';
import { withStore } from '../../with-store.ts';
import { addPauses, pauseColumns } from './handlers-pause.ts';

interface HandlerFlags extends ListFlags {
  readonly kind?: readonly string[];
  readonly handler?: string;
  readonly uncovered: boolean;
  readonly local: boolean;
}

const handlerColumns: readonly Column<HandlerView>[] = [
  { heading: 'handler', value: (handler) => handler.name },
  { heading: 'type', value: (handler) => handler.type },
  { heading: 'on', shrinks: true, value: (handler) => handler.on.join(' ') },
  { heading: 'order', value: (handler) => handler.order },
  { heading: 'stale', value: (handler) => (handler.stale ? 'yes' : 'no') },
  { heading: 'attempts', align: 'right', value: (handler) => handler.attempts },
  { heading: 'after dead letter', optional: true, value: (handler) => handler.after_dead_letter },
  { heading: 'rate', optional: true, value: (handler) => handler.rate ?? '' },
  { heading: 'effects', shrinks: true, value: (handler) => handler.effects.join(' ') },
];

const coverageColumns: readonly Column<CoverageView>[] = [
  { heading: 'kind', value: (row) => row.kind },
  { heading: 'handlers', shrinks: true, value: (row) => row.handlers.join(' ') || '(none)' },
];

/**
 * `portaria handlers`: `list` prints the handlers and machines, and the kinds that each one takes: those of the
 * running process or, if there is none, of PORTARIA_HANDLERS. `pause` and `resume` are in handlers-pause.ts.
 */
export function addHandlers(program: Command, session: Session): void {
  const handlersCommand = program.command('handlers').description('the handlers and machines');
  const command = handlersCommand
    .command('list')
    .description(
      'list the handlers of the running process, or else of PORTARIA_HANDLERS, and the kinds that they take',
    )
    .option(
      '--kind <kind>',
      'only this kind, or a wildcard such as company.*; repeatable; * for every kind of the contract',
      repeatable,
    )
    .option('--handler <name>', 'only kinds that this handler takes')
    .option('--uncovered', 'only kinds that no handler takes', false)
    .option('--local', 'the handlers of PORTARIA_HANDLERS, even beside a running process', false);
  addListOptions(command).action(async (flags: HandlerFlags) => {
    const known = await handlersToList(session, flags);
    if (known.processes.length > 0) await session.note(`Handlers of ${ownerText(known.processes)}.`);
    const { handlers, coverage } = handlerCoverage(known.registry);
    const { handler: name } = flags;
    if (name !== undefined && !handlers.some((handler) => handler.name === name))
      throw unknownHandler(`--handler ${name}`, name, known);
    const isFiltered = flags.kind !== undefined || name !== undefined || flags.uncovered;
    const matching = coverage.filter((row) => matches(row, flags));
    // For people, kinds that nothing handles are one line, unless they ask for them.
    const rows = flags.json || isFiltered ? matching : matching.filter(({ covered }) => covered);
    const asksForKinds = flags.json || flags.kind !== undefined || flags.uncovered;
    const shown = handlers.filter((handler) => name === undefined || handler.name === name);
    if (!asksForKinds && shown.length > 0)
      await session.print(`${createTable(handlerColumns, session.terminal.out.columns()).page(shown)}\n`);
    if (!asksForKinds && known.pauses.length > 0)
      await session.print(
        `${createTable(pauseColumns, session.terminal.out.columns()).page(known.pauses)}\n`,
      );
    await writeList(session, wholeList(rows, flags.limit), {
      columns: coverageColumns,
      json: flags.json,
      empty: isFiltered ? 'No kind matches.' : 'There is no handler for any kind.',
    });
    if (!flags.json && !isFiltered) await printUncovered(session, coverage);
  });
  addPauses(handlersCommand, session);
}

/** Kinds without a handler that the last line names. */
const MAX_NAMED = 3;

async function printUncovered(session: Session, coverage: readonly CoverageView[]): Promise<void> {
  const kinds = coverage.flatMap(({ kind, covered }) => (covered ? [] : [kind]));
  if (kinds.length === 0) return;
  const more = kinds.length > MAX_NAMED ? ', …' : '';
  await session.print(
    `\nNo handler takes ${countOf(kinds.length, 'kind')}: ${kinds.slice(0, MAX_NAMED).join(', ')}${more} (\`portaria handlers list --uncovered\` lists ${kinds.length === 1 ? 'it' : 'them'})`,
  );
}

interface ListedHandlers extends KnownHandlers {
  readonly pauses: readonly PauseView[];
}

/** Works without a database and beside a broken one, since PORTARIA_HANDLERS needs none. */
async function handlersToList(session: Session, { local }: HandlerFlags): Promise<ListedHandlers> {
  const config = session.config();
  let pauses: readonly PauseView[] = [];
  if (!local && mayHaveStore(config.database))
    try {
      const running = await withStore(session, async (store) => {
        pauses = (await store.pauses()).map(pauseView);
        return store.processes();
      });
      if (running.length > 0)
        return { ...(await knownHandlers({ processes: async () => running }, config)), pauses };
    } catch (error) {
      if (!PortariaError.is(error)) throw error;
      await session.note(`note: ${error.message}; these are the handlers of PORTARIA_HANDLERS`);
    }
  return { registry: await loadRegistry(config), processes: [], pauses };
}

function matches(row: CoverageView, { kind, handler, uncovered }: HandlerFlags): boolean {
  return (
    (kind === undefined || kind.some((pattern) => patternMatches(pattern, row.kind))) &&
    (handler === undefined || row.handlers.includes(handler)) &&
    !(uncovered && row.covered)
  );
}
