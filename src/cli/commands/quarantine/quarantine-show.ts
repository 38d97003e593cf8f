import type { Command } from 'commander';
import { quarantineEntry } from '../../../operate/quarantine-entry.ts';
import { quarantineDetailView, type QuarantineDetailView } from '../../../view/quarantine-view.ts';
import { jsonOption } from '../../options/list-options.ts';
import { unmaskOption, type DetailFlags } from '../../options/unmask-option.ts';
import { fieldLines } from '../../output/field-lines.ts';
import { indentedJson } from '../../output/indented-json.ts';
import { printable } from '../../../kernel/text/printable.ts';
import { messageIdText } from '../../output/message-id-text.ts';
import { readableTime } from '../../output/readable-time.ts';
import type { Session } from '../../session.ts';
import { withStore } from '../../with-store.ts';

export function addQuarantineShow(quarantine: Command, session: Session): void {
  quarantine
    .command('show')
    .description('one entry with its bytes and all that does not fit')
    .argument('<id>', 'for example q3')
    .addOption(unmaskOption())
    .addOption(jsonOption())
    .action(async (id: string, { unmask, json }: DetailFlags) => {
      await withStore(session, async (store) => {
        const entry = await quarantineEntry(store, id);
        const view = quarantineDetailView(entry, { unmask });
        await session.print(json ? JSON.stringify(view) : quarantineText(view));
      });
    });
}

function quarantineText(entry: QuarantineDetailView): string {
  const issues = entry.issues.map(({ path, message }) => `  ${path || '(whole)'}: ${message}`);
  const parts = [
    fieldLines({
      entry: entry.id,
      status: entry.event_id === null ? entry.status : `${entry.status} as ${entry.event_id}`,
      reason: entry.reason,
      kind: entry.kind ?? 'unreadable',
      source: entry.source,
      received: readableTime(entry.received_at),
      repeats: entry.repeats,
      'message id': messageIdText(entry),
      message: entry.message,
    }),
    ...(issues.length > 0 ? [`Issues\n${printable(issues.join('\n'))}`] : []),
    `Headers\n${indentedJson(entry.headers)}`,
    bodyText(entry),
  ];
  return parts.join('\n\n');
}

function bodyText({
  body,
  body_encoding: encoding,
  body_bytes: bytes,
  masked,
}: QuarantineDetailView): string {
  if (body === null)
    return `Body, ${String(bytes)} bytes\n  not JSON, so all of it is masked; --unmask shows it`;
  const how = masked ? 'personal data masked, --unmask shows it' : `as received, ${encoding}`;
  return `Body, ${String(bytes)} bytes (${how})\n${printable(body).replaceAll(/^/gm, '  ')}`;
}
