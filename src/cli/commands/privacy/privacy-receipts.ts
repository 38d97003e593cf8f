/** Shows the ledger of erasures, and checks receipts. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { PortariaError } from '../../../kernel/errors.ts';
import { sumRows, totalOfRows } from '../../../privacy/ledger.ts';
import { fingerprint, isAuthentic, isReceipt, publicKeyOf, type Receipt } from '../../../privacy/receipt.ts';
import { erasureView, type ErasureView } from '../../../view/privacy/erasure-view.ts';
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
  { heading: 'finished', value: finishedText },
  {
    heading: 'rows',
    value: ({ runs }) => String(totalOfRows(sumRows(runs.map(({ erased_rows: rows }) => rows)))),
  },
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
        const [ledger, holder] = await Promise.all([store.erasures(), store.erasing()]);
        if (id === undefined) {
          const rows = ledger.map((one) => erasureView(one, holder));
          await writeList(session, wholeList(rows), { columns, json, empty: 'Nobody was erased.' });
          return;
        }
        const erasure =
          ledger.find((one) => one.id === id) ?? notFound('erasure', id, 'portaria privacy receipts');
        await session.print(erasure.receipt ?? noReceipt(erasureView(erasure, holder)));
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

function finishedText(erasure: ErasureView): string {
  if (erasure.finished_at !== null) return readableTime(erasure.finished_at);
  return erasure.running_in === null ? 'not finished' : runningText(erasure);
}

function runningText({ running_in: where, running_since: since }: ErasureView): string {
  return `running in ${String(where)}${since === null ? '' : ` since ${readableTime(since)}`}`;
}

/** @throws PortariaError `not-found` */
function noReceipt(erasure: ErasureView): never {
  if (erasure.finished_at !== null)
    throw new PortariaError(
      'not-found',
      `The receipt of erasure ${erasure.id} is in the copy of the store that erased the person first: this one only repeated it`,
    );
  const why = erasure.running_in === null ? '' : `: it is ${runningText(erasure)}`;
  throw new PortariaError('not-found', `There is no receipt yet of erasure ${erasure.id}${why}`);
}

/** Reads a receipt from a file. @throws PortariaError `not-found`, `invalid-argument` */
export function readReceipt(session: Session, file: string): Receipt {
  const path = resolve(session.terminal.cwd, file);
  requireForeignFile(path, file, session.config());
  let value: unknown;
  try {
    // Drops a byte order mark, too.
    value = JSON.parse(readFileSync(path, 'utf8').trim());
  } catch (cause) {
    const isMissing = (cause as NodeJS.ErrnoException).code === 'ENOENT';
    if (isMissing) throw new PortariaError('not-found', `There is no file ${file}`, { cause });
    throw new PortariaError('invalid-argument', `${file} cannot be read as JSON`, { cause });
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
