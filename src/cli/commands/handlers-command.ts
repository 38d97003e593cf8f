import type { Command } from 'commander';
import { patternMatches } from '../../contract/event-pattern.ts';
import { handlerCoverage } from '../../operate/handler-coverage.ts';
import type { CoverageView, HandlerView } from '../../view/handler-view.ts';
import { loadRegistry } from '../../load-registry.ts';
import { unknownName } from '../options/handler-names.ts';
import { addListOptions, type ListFlags } from '../options/list-options.ts';
import { repeatable } from '../options/repeatable.ts';
import { wholeList } from '../output/pages.ts';
import { createTable, type Column } from '../output/table.ts';
import { writeList } from '../output/write-list.ts';
import type { Session } from '../session.ts';

interface HandlerFlags extends ListFlags {
  readonly kind?: readonly string[];
  readonly handler?: string;
  readonly uncovered: boolean;
}

const handlerColumns: readonly Column<HandlerView>[] = [
  { heading: 'handler', value: (handler) => handler.name },
  { heading: 'type', value: (handler) => handler.type },
  { heading: 'on', shrinks: true, value: (handler) => handler.on.join(' ') },
  { heading: 'order', value: (handler) => handler.order },
  { heading: 'stale', value: (handler) => (handler.stale ? 'yes' : 'no') },
  { heading: 'attempts', align: 'right', value: (handler) => handler.attempts },
  { heading: 'effects', shrinks: true, value: (handler) => handler.effects.join(' ') },
];

const coverageColumns: readonly Column<CoverageView>[] = [
  { heading: 'kind', value: (row) => row.kind },
  { heading: 'handlers', shrinks: true, value: (row) => row.handlers.join(' ') || '(none)' },
];

/** `portaria handlers list`: prints the handlers and machines, and the kinds that each one takes. */
export function addHandlers(program: Command, session: Session): void {
  const command = program
    .command('handlers')
    .description('the configured handlers and machines')
    .command('list')
    .description('list the handlers, and each kind of the contract with the handlers that take it')
    .option('--kind <kind>', 'only this kind, or a wildcard such as company.*; repeatable', repeatable)
    .option('--handler <name>', 'only kinds that this handler takes')
    .option('--uncovered', 'only kinds that no handler takes', false);
  addListOptions(command).action(async (flags: HandlerFlags) => {
    const { handlers, coverage } = handlerCoverage(await loadRegistry(session.config()));
    const names = handlers.map(({ name }) => name);
    if (flags.handler !== undefined && !names.includes(flags.handler))
      await session.note(`note: ${unknownName('--handler', flags.handler, names)}`);
    const rows = coverage.filter((row) => matches(row, flags));
    if (!flags.json && handlers.length > 0)
      await session.print(`${createTable(handlerColumns, session.terminal.out.columns()).page(handlers)}\n`);
    await writeList(session, wholeList(rows, flags.limit), {
      columns: coverageColumns,
      json: flags.json,
      empty: 'No kind matches.',
    });
  });
}

function matches(row: CoverageView, { kind, handler, uncovered }: HandlerFlags): boolean {
  return (
    (kind === undefined || kind.some((pattern) => patternMatches(pattern, row.kind))) &&
    (handler === undefined || row.handlers.includes(handler)) &&
    !(uncovered && row.covered)
  );
}
