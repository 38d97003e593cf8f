/** `portaria events import`: stores the events of an export, or plain envelopes. */
import { createReadStream } from 'node:fs';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Command } from 'commander';
import { isSourceName } from '../../../contract/source-fields.ts';
import { countOf } from '../../../kernel/text/count.ts';
import { PortariaError } from '../../../kernel/errors.ts';
import { printableLine } from '../../../kernel/text/printable.ts';
import { createIdentify } from '../../../identify/identify.ts';
import { keyedIds } from '../../../store/erased-content.ts';
import { createParse } from '../../../parse/parse.ts';
import { knownContract } from '../../known-contract.ts';
import { createArrivalEraser } from '../../../privacy/erase-arrival.ts';
import type { Config } from '../../../config/config.ts';
import type { Store } from '../../../store/store.ts';
import { audited, type AddDetails } from '../../audited.ts';
import { exitCode } from '../../exit-code.ts';
import { listenForInterrupt } from '../../interruption.ts';
import { requireRoutes } from '../../known-handlers.ts';
import { jsonOption } from '../../options/list-options.ts';
import { parseCount } from '../../options/values.ts';
import { requireForeignFile } from '../../output/private-file.ts';
import type { Session } from '../../session.ts';
import { requireContract } from '../../../handle/load/require-contract.ts';
import { withStore } from '../../with-store.ts';
import { importLines, type ImportedLine } from './import-lines.ts';

interface ImportFlags {
  readonly source: string;
  readonly fromLine: number;
  readonly handlers: boolean;
  readonly json: boolean;
}

export function addEventsImport(events: Command, session: Session): void {
  events
    .command('import')
    .description(
      'store the events of an export, or plain envelopes, one per line; repeats are duplicates; creates the database if there is none',
    )
    .argument('<file>', 'an NDJSON file; - for standard input')
    .option('--source <name>', 'the source of plain envelopes', 'default')
    .option('--from-line <n>', 'begin with this line: an import that was interrupted names it', parseCount, 1)
    .option('--no-handlers', 'store the events without delivering them to handlers')
    .addOption(jsonOption())
    .action(async (file: string, flags: ImportFlags) => {
      if (!isSourceName(flags.source))
        throw new PortariaError(
          'invalid-argument',
          `--source ${flags.source} is not the name of a source: use up to 63 lowercase letters, digits and hyphens`,
        );
      const input = await openInput(file, session);
      const operation = { action: 'importEvents', subject: { file, source: flags.source } };
      const importAll = async (store: Store, config: Config, addDetails: AddDetails): Promise<void> => {
        const contract = await knownContract(session);
        await requireContract(store, contract);
        const otherwise = 'store the events with --no-handlers, and replay them when serve runs';
        const registry = flags.handlers ? await requireRoutes(store, config, otherwise) : undefined;
        const eraser = await createArrivalEraser(store, contract);
        const identify = createIdentify(contract, keyedIds(await store.erasureKey()));
        const { signal, release } = listenForInterrupt(session.terminal);
        // Readline loses the lines that it reads before somebody iterates: nothing may be awaited in between.
        const lines = importLines(createInterface({ input, crlfDelay: Infinity, signal }), {
          parse: createParse(contract, session.config().onUnknownValue),
          identify,
          inbox: store,
          routesFor: registry ? (event) => registry.routesFor(event, event.delivery.source) : null,
          now: () => session.terminal.clock.now(),
          eraser,
          source: flags.source,
          fromLine: flags.fromLine,
          signal,
          onEnd: (lines) => (total = lines),
        });
        const counts = new Map<ImportedLine['outcome'], number>();
        const deliveries = new Map<string, number>();
        let ambiguous = 0;
        let last = flags.fromLine - 1;
        let total = 0;
        let done = false;
        try {
          for await (const line of lines) {
            last = line.line;
            counts.set(line.outcome, (counts.get(line.outcome) ?? 0) + 1);
            for (const handler of line.handlers) deliveries.set(handler, (deliveries.get(handler) ?? 0) + 1);
            if (isAmbiguous(line)) ambiguous += 1;
            if (flags.json) await session.print(JSON.stringify(line));
            else if (line.message !== null || isAmbiguous(line)) await session.print(lineText(line, file));
          }
          done = !signal.aborted;
          if (done && flags.fromLine > Math.max(1, total))
            throw new PortariaError(
              'invalid-argument',
              `--from-line ${String(flags.fromLine)} is past the end: ${file === '-' ? 'the input' : file} has ${countOf(total, 'line')}`,
            );
        } finally {
          release();
          addDetails(Object.fromEntries([...counts].map(([outcome, count]) => [outcome, String(count)])));
          await session.note(summary(counts, ambiguous));
          if (registry !== undefined && isStored(counts)) await session.note(deliveriesText(deliveries));
          if (!done) await session.note(stoppedText(last));
        }
        const rejected = (counts.get('unreadable') ?? 0) + (counts.get('quarantined') ?? 0);
        if (signal.aborted) session.exitCode = exitCode.interrupted;
        else if (rejected > 0)
          session.exitCode = rejected === totalOf(counts) ? exitCode.failed : exitCode.partial;
      };
      await withStore(
        session,
        (store, config) =>
          audited(session, store, operation, (addDetails) => importAll(store, config, addDetails)),
        { mayCreate: true },
      );
    });
}

function isAmbiguous({ flags }: ImportedLine): boolean {
  return flags.includes('ambiguous');
}

function lineText({ line, outcome, id, message, flags }: ImportedLine, file: string): string {
  const where = file === '-' ? `line ${String(line)}` : `${file}:${String(line)}`;
  const result = id === null ? outcome : `${outcome} as ${id}`;
  return printableLine(`${where} ${result}: ${message ?? flags.join(', ')}`);
}

type Counts = ReadonlyMap<ImportedLine['outcome'], number>;

function totalOf(counts: Counts): number {
  return counts.values().reduce((sum, count) => sum + count, 0);
}

function summary(counts: Counts, ambiguous: number): string {
  const outcomes = [...counts].map(([outcome, count]) => `${String(count)} ${outcome}`).join(', ');
  const flagged = ambiguous === 0 ? '' : `; ${String(ambiguous)} ambiguous`;
  return `${countOf(totalOf(counts), 'line')} read${outcomes === '' ? '' : `: ${outcomes}`}${flagged}.`;
}

function isStored(counts: Counts): boolean {
  return counts.has('accepted') || counts.has('stale') || counts.has('unrecognized');
}

function deliveriesText(deliveries: ReadonlyMap<string, number>): string {
  if (deliveries.size === 0) return 'No handler got a delivery.';
  return `Deliveries: ${[...deliveries].map(([handler, count]) => `${String(count)} for ${handler}`).join(', ')}.`;
}

function stoppedText(last: number): string {
  const next = String(last + 1);
  return last === 0
    ? 'Stopped: no line is known to be committed. Import the file again.'
    : `Stopped: all lines through ${String(last)} are committed. To go on, run the command again with --from-line ${next}.`;
}

async function openInput(file: string, session: Session): Promise<NodeJS.ReadableStream> {
  const { terminal } = session;
  if (file === '-') return terminal.input;
  const path = resolve(terminal.cwd, file);
  // Closing a descriptor of the database would drop the locks that SQLite holds on it in this process.
  requireForeignFile(path, file, session.config());
  const stream = createReadStream(path);
  try {
    await once(stream, 'open');
  } catch (cause) {
    throw new PortariaError('not-found', `${file} cannot be read`, { cause });
  }
  return stream;
}
