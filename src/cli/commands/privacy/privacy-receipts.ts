/** Shows the ledger of erasures, and checks receipts. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { PortariaError } from '../../../kernel/errors.ts';
import { fingerprint, isAuthentic, isReceipt, publicKeyOf, type Receipt } from '../../../privacy/receipt.ts';
import { erasureView, type ErasureView } from '../../../view/finding-view.ts';
import { exitCode } from '../../exit-code.ts';
import { jsonOption } from '../../options/list-options.ts';
import { readableTime } from '../../output/format.ts';
import { wholeList } from '../../output/pages.ts';
import { requireForeignFile } from '../../output/private-file.ts';
import type { Column } from '../../output/table.ts';
import { writeList } from '../../output/write-list.ts';
import type { Session } from '../../session.ts';
import { notFound, withStore } from '../../with-store.ts';

const columns: readonly Column<ErasureView>[] = [
  { heading: 'id', value: (erasure) => erasure.id },
  { heading: 'started', value: (erasure) => readableTime(erasure.started_at) },
  { heading: 'finished', value: (erasure) => readableTime(erasure.finished_at) || 'not finished' },
  { heading: 'by', value: (erasure) => erasure.requested_by },
  { heading: 'reason', shrinks: true, value: (erasure) => erasure.reason },
];

/** `portaria privacy receipts` and `verify`: the ledger of erasures, and the check of a receipt. */
export function addReceipts(privacy: Command, session: Session): void {
  privacy
    .command('receipts')
    .description('list the erasures, or print the receipt of one')
    .argument('[id]', 'for example x1: prints its receipt as JSON')
    .addOption(jsonOption())
    .action(async (id: string | undefined, { json }: { json: boolean }) => {
      await withStore(session, async (store) => {
        const ledger = await store.erasures();
        if (id === undefined) {
          const rows = ledger.map(erasureView);
          await writeList(session, wholeList(rows), { columns, json, empty: 'Nobody was erased.' });
          return;
        }
        const erasure =
          ledger.find((one) => one.id === id) ?? notFound('erasure', id, 'portaria privacy receipts');
        await session.print(erasure.receipt ?? notFound('receipt yet of erasure', id));
      });
    });
  privacy
    .command('verify')
    .description('check that a receipt is as it was signed, and whether by this database')
    .argument('<receipt>', 'the file')
    .addOption(jsonOption())
    .action(async (file: string, { json }: { json: boolean }) => {
      const receipt = readReceipt(session, file);
      const authentic = isAuthentic(receipt);
      const own = await withStore(session, async (store) => publicKeyOf(await store.erasureKey()));
      const isOwn = own === receipt.public_key;
      const key = fingerprint(receipt.public_key);
      if (json)
        await session.print(
          JSON.stringify({ valid: authentic && isOwn, unchanged: authentic, own_key: isOwn, key }),
        );
      else await session.print(verdict(authentic, isOwn, key));
      if (!authentic || !isOwn) session.exitCode = exitCode.failed;
    });
}

/** Reads a receipt from a file. @throws PortariaError `not-found`, `invalid-argument` */
export function readReceipt(session: Session, file: string): Receipt {
  const path = resolve(session.terminal.cwd, file);
  requireForeignFile(path, file, session.config());
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    const isMissing = (cause as NodeJS.ErrnoException).code === 'ENOENT';
    throw new PortariaError(isMissing ? 'not-found' : 'invalid-argument', `${file} cannot be read as JSON`, {
      cause,
    });
  }
  if (isReceipt(value)) return value;
  throw new PortariaError('invalid-argument', `${file} is not a receipt of \`portaria privacy erase\``);
}

function verdict(authentic: boolean, isOwn: boolean, key: string): string {
  if (!authentic) return `INVALID: the receipt was changed after it was signed (key ${key}).`;
  return isOwn
    ? `Valid: signed by the key of this database (${key}), and unchanged.`
    : `UNKNOWN KEY: the receipt is unchanged, and key ${key} is not of this database.`;
}
