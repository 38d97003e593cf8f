/** `portaria events export`: writes events as NDJSON, with the bytes of their bodies. */
import { resolve } from 'node:path';
import { Option, type Command } from 'commander';
import { operateOnStore, namedFilter } from '../../audited.ts';
import { exitCode } from '../../exit-code.ts';
import { addEventFilterOptions, eventFilter, type EventFilterFlags } from '../../options/event-filter.ts';
import { noteUnknownKinds } from '../../options/kind-option.ts';
import { countOf } from '../../../kernel/text/count.ts';
import { pages } from '../../output/pages.ts';
import { requireForeignFile, writePrivateFile } from '../../output/private-file.ts';
import type { Session } from '../../session.ts';
import { writeText, type TextOutput } from '../../terminal/text-output.ts';
import { z } from 'zod';
import { isSourceName } from '../../../contract/source-fields.ts';
import type { StoredDelivery } from '../../../event/stored-event.ts';
import type { VerifiedDelivery } from '../../../event/delivery.ts';
import { readMessageId } from '../../../event/message-id.ts';
import { instantText } from '../../../view/instant-text.ts';
import { exportedHeaders } from '../../../view/payload/unmasking.ts';

interface ExportFlags extends EventFilterFlags {
  readonly file: string;
  readonly force: boolean;
}

export function addEventsExport(events: Command, session: Session): void {
  const command = events
    .command('export')
    .description('write events with their bodies as NDJSON, oldest first, for `events import`')
    .addOption(new Option('--file <file>', 'the file to write; - for standard output').default('-'))
    .option('--force', 'replace the file if it exists; write to it if it is a device or a pipe', false);
  addEventFilterOptions(command, session.terminal.clock).action(async (flags: ExportFlags) => {
    await noteUnknownKinds(session, flags.kind);
    const shown = {
      action: 'exportEvents',
      unmasked: true,
      subject: namedFilter({ ...eventFilter(flags), file: flags.file }),
    };
    await operateOnStore(session, shown, async (store, _config, addDetails) => {
      const { written, pruned, left } = await withOutput(session, flags, async (output) => {
        const filter = eventFilter(flags);
        const [newest] = await store.events(filter, { order: 'newest', limit: 1 });
        const counts = { written: 0, pruned: 0, left: newest?.id };
        const found = pages('all', (page) => store.events(filter, { order: 'oldest', ...page }));
        for await (const { rows } of found) {
          for (const { id } of rows) {
            if (id === counts.left) counts.left = undefined;
            const event = await store.event(id);
            if (event?.body) {
              await writeText(output, `${JSON.stringify(exportEvent(event, event.body))}\n`);
              counts.written += 1;
            } else counts.pruned += 1;
          }
        }
        return counts;
      });
      addDetails({ events: String(written) });
      await session.note(`${countOf(written, 'event')} exported.`);
      if (pruned > 0) {
        await session.note(`${countOf(pruned, 'event')} left out: the body is pruned.`);
        session.exitCode = exitCode.partial;
      }
      if (left !== undefined) {
        // The store reads from the oldest up to the first that may still come.
        await session.note(
          `Not all events are exported: ${left} is missing, because another session of the database may still store events before it. Export again when its transaction or lock has ended.`,
        );
        session.exitCode = exitCode.partial;
      }
    });
  });
}

async function withOutput<T>(
  session: Session,
  { file, force }: ExportFlags,
  write: (output: TextOutput) => Promise<T>,
): Promise<T> {
  const { terminal } = session;
  if (file === '-') return write(terminal.out);
  const path = resolve(terminal.cwd, file);
  requireForeignFile(path, file, session.config());
  const { result, warning } = await writePrivateFile({ path, shownAs: file, force }, write);
  if (warning !== null) await session.note(`warning: ${warning}`);
  return result;
}

/** One line of an export: a webhook as it was received, so that another store can receive it again. */
export const exportedEvent = z.object({
  id: z.string().optional().describe('The event id in the exporting store. Not imported.'),
  kind: z.string().optional().describe('For people. The import reads the kind from the body.'),
  source: z
    .string()
    .refine(isSourceName, 'must be the name of a source: up to 63 lowercase letters, digits and hyphens'),
  received_at: z.iso.datetime(),
  headers: z.record(z.string(), z.string()),
  // As from a sender: other ids cannot be searched for, and long ones do not fit into an index.
  message_id: z
    .string()
    .refine((id) => readMessageId(id) !== null, 'must be 1 to 256 visible ASCII characters, or null')
    .nullable(),
  message_id_trusted: z.boolean().default(false).describe('False in exports from before this field existed.'),
  body: z.base64().describe('The received bytes.'),
});

type ExportedEvent = z.infer<typeof exportedEvent>;

function exportEvent(event: StoredDelivery, body: Uint8Array): ExportedEvent {
  return {
    id: event.id,
    kind: event.kind,
    source: event.source,
    received_at: instantText(event.receivedAt),
    headers: exportedHeaders(event.headers, { isProven: !event.flags.includes('unverified') }),
    message_id: event.messageId,
    message_id_trusted: event.messageIdTrusted,
    body: Buffer.from(body).toString('base64'),
  };
}

/** The webhook of an exported line, with its original source and time. */
export function importedDelivery(line: ExportedEvent): VerifiedDelivery {
  return {
    stage: 'verified',
    source: line.source,
    // The operator who imports a file vouches for it.
    senderVerified: true,
    receivedAt: Date.parse(line.received_at),
    headers: line.headers,
    body: Buffer.from(line.body, 'base64'),
    messageId: line.message_id,
    messageIdTrusted: line.message_id_trusted,
  };
}
