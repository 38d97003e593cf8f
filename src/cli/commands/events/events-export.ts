import { createWriteStream, type WriteStream } from 'node:fs';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { Option, type Command } from 'commander';
import { PortariaError } from '../../../kernel/errors.ts';
import { exitCode } from '../../exit-code.ts';
import {
  addEventFilterOptions,
  eventFilter,
  type EventFilterFlags,
} from '../../options/event-filter-options.ts';
import { noteUnknownKinds } from '../../options/kind-option.ts';
import { pages } from '../../output/pages.ts';
import type { Session } from '../../session.ts';
import { writeText, type TextOutput } from '../../terminal/text-output.ts';
import { withStore } from '../../with-store.ts';
import { exportEvent } from './exported-event.ts';

interface ExportFlags extends EventFilterFlags {
  readonly file: string;
  readonly force: boolean;
}

export function addEventsExport(events: Command, session: Session): void {
  const command = events
    .command('export')
    .description('events as NDJSON, oldest first, bytes and all: `events import` takes them elsewhere')
    .addOption(new Option('--file <file>', 'where to; - for standard output').default('-'))
    .option('--force', 'replace the file when it exists', false);
  addEventFilterOptions(command, session.terminal.clock).action(async (flags: ExportFlags) => {
    await noteUnknownKinds(session, flags.kind);
    await withStore(session, async (store) => {
      const target = await openTarget(session, flags);
      let written = 0;
      let purged = 0;
      const filter = eventFilter(flags);
      const found = pages('all', (page) => store.events(filter, { order: 'oldest', ...page }));
      for await (const { rows } of found) {
        for (const { id } of rows) {
          const event = await store.event(id);
          if (event?.body) {
            await writeText(target.output, `${JSON.stringify(exportEvent(event, event.body))}\n`);
            written += 1;
          } else purged += 1;
        }
      }
      await target.close();
      await session.note(`${String(written)} events exported.`);
      if (purged > 0) {
        await session.note(`${String(purged)} left out: their bytes are purged.`);
        session.exitCode = exitCode.partial;
      }
    });
  });
}

/** A new file only its owner may read: it holds personal data. */
async function openTarget(
  { terminal }: Session,
  { file, force }: ExportFlags,
): Promise<{ readonly output: TextOutput; close(): Promise<void> }> {
  if (file === '-') return { output: terminal.out, close: () => Promise.resolve() };
  const stream = createWriteStream(resolve(terminal.cwd, file), { flags: force ? 'w' : 'wx', mode: 0o600 });
  await opened(stream, file);
  return {
    output: { stream, isTerminal: false, columns: () => Infinity },
    async close() {
      stream.end();
      await once(stream, 'close');
    },
  };
}

async function opened(stream: WriteStream, file: string): Promise<void> {
  try {
    await once(stream, 'open');
  } catch (cause) {
    const message =
      (cause as NodeJS.ErrnoException).code === 'EEXIST'
        ? `${file} exists; --force replaces it`
        : `${file} cannot be written`;
    throw new PortariaError('invalid-argument', message, { cause });
  }
}
