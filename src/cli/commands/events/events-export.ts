import { resolve } from 'node:path';
import { Option, type Command } from 'commander';
import { exitCode } from '../../exit-code.ts';
import {
  addEventFilterOptions,
  eventFilter,
  type EventFilterFlags,
} from '../../options/event-filter-options.ts';
import { noteUnknownKinds } from '../../options/kind-option.ts';
import { pages } from '../../output/pages.ts';
import type { Session } from '../../session.ts';
import { writePrivateFile } from '../../output/private-output.ts';
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
    .option('--force', 'replace the file when it exists; write to it when it is a device or a pipe', false);
  addEventFilterOptions(command, session.terminal.clock).action(async (flags: ExportFlags) => {
    await noteUnknownKinds(session, flags.kind);
    await withStore(session, async (store) => {
      const { written, purged } = await intoTarget(session, flags, async (output) => {
        const counts = { written: 0, purged: 0 };
        const filter = eventFilter(flags);
        const found = pages('all', (page) => store.events(filter, { order: 'oldest', ...page }));
        for await (const { rows } of found) {
          for (const { id } of rows) {
            const event = await store.event(id);
            if (event?.body) {
              await writeText(output, `${JSON.stringify(exportEvent(event, event.body))}\n`);
              counts.written += 1;
            } else counts.purged += 1;
          }
        }
        return counts;
      });
      await session.note(`${String(written)} events exported.`);
      if (purged > 0) {
        await session.note(`${String(purged)} left out: their bytes are purged.`);
        session.exitCode = exitCode.partial;
      }
    });
  });
}

async function intoTarget<T>(
  session: Session,
  { file, force }: ExportFlags,
  write: (output: TextOutput) => Promise<T>,
): Promise<T> {
  const { terminal } = session;
  if (file === '-') return write(terminal.out);
  const path = resolve(terminal.cwd, file);
  const { result, warning } = await writePrivateFile({ path, shownAs: file, force }, write);
  if (warning !== null) await session.note(`warning: ${warning}`);
  return result;
}
