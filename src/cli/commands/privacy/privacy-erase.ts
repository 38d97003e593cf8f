import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import type { Command } from 'commander';
import { countOf } from '../../../kernel/text/count.ts';
import { PortariaError } from '../../../kernel/errors.ts';
import { printableLine } from '../../../kernel/text/printable.ts';
import { erasePerson, type ErasureResult } from '../../../privacy/erase-person.ts';
import type { Identifier } from '../../../privacy/identifier.ts';
import { personOf } from '../../../privacy/person.ts';
import { planErasure, rejectHeld, type PlannedKind } from '../../../privacy/plan-erasure.ts';
import { allContents } from '../../../privacy/scan-store.ts';
import { signReceipt, type Receipt } from '../../../privacy/receipt.ts';
import { searchFiles, type SearchedFile } from '../../../privacy/search-files.ts';
import { instantText } from '../../../view/instant-text.ts';
import { operateOnStore } from '../../audited.ts';
import { exitCode } from '../../exit-code.ts';
import { jsonOption } from '../../options/list-options.ts';
import { knownContract } from '../../known-contract.ts';
import { fieldLines, readableBytes } from '../../output/format.ts';
import { requireForeignFile, writePrivateFile } from '../../output/private-file.ts';
import type { Session } from '../../session.ts';
import type { Store } from '../../../store/store.ts';
import { writeText } from '../../terminal/text-output.ts';
import { requireContract } from '../../require-contract.ts';
import { withStore } from '../../with-store.ts';
import {
  actorName,
  createScanProgress,
  givenIdentifiers,
  identifierCounts,
  WHO,
  wholePerson,
} from './given-person.ts';

interface EraseFlags {
  readonly dryRun: boolean;
  readonly yes: boolean;
  readonly reason?: string;
  readonly by?: string;
  readonly receipt?: string;
  readonly json: boolean;
}

/** `portaria privacy erase`: erases a person and issues a signed receipt. */
export function addErase(privacy: Command, session: Session): void {
  privacy
    .command('erase')
    .description("erase a person's data from every row, search the files for it, and issue a signed receipt")
    .argument('<who...>', WHO)
    .option('--dry-run', 'show what would be erased, change nothing', false)
    .option('--yes', 'erase; there is no way back', false)
    .option('--reason <text>', 'why, for the ledger and the receipt; must not name the person')
    .option('--by <name>', 'who erases (default: the user of the operating system)')
    .option('--receipt <file>', 'also write the receipt to this file')
    .addOption(jsonOption())
    .action(async (who: string[], flags: EraseFlags) => {
      requireDecision(flags);
      if (flags.receipt !== undefined) requireNewFile(session, flags.receipt);
      const given = await givenIdentifiers(session, who);
      await (flags.dryRun ? plan(session, given, flags) : erase(session, given, flags));
    });
}

/** Checked before anything is erased: an erasure without its receipt would be a nuisance. */
function requireNewFile(session: Session, file: string): void {
  const path = resolve(session.terminal.cwd, file);
  requireForeignFile(path, file, session.config());
  if (existsSync(path)) throw new PortariaError('invalid-argument', `${file} exists; name another file`);
}

function requireDecision({ dryRun, yes, reason }: EraseFlags): void {
  if (dryRun) return;
  if (!yes)
    throw new PortariaError(
      'invalid-argument',
      'Erasing cannot be undone: add --dry-run to see it, or --yes',
    );
  if (reason === undefined || reason.trim() === '')
    throw new PortariaError('invalid-argument', 'Add --reason <text>: the ledger and the receipt state it');
}

async function plan(session: Session, given: readonly Identifier[], { json }: EraseFlags): Promise<void> {
  const contract = await knownContract(session);
  await withStore(session, async (store) => {
    await requireContract(store, contract);
    const identifiers = await wholePerson(session, store, given, contract);
    const person = personOf(identifiers);
    const holds = (await store.holds()).filter(({ subject }) => person.isSubject(subject));
    const progress = createScanProgress(session, 'searching');
    const { rows, held, kinds } = await planErasure(
      { store, contract, report: progress.report },
      person,
    ).finally(() => progress.stop());
    if (json)
      await session.print(
        JSON.stringify({ dry_run: true, rows, held_rows: held, refused: holds.length > 0, kinds }),
      );
    else
      await session.print(
        `Would erase:\n${fieldLines({ ...rows, 'kept by a hold': held, 'identified by': identifierCounts(identifiers) })}${kinds.map(kindText).join('')}`,
      );
    rejectHeld(holds, person);
  });
}

/** What changes of a kind, by the names of its fields. */
function kindText({ place, kind, rows, erased, kept }: PlannedKind): string {
  const lines = [
    `${place}${kind === null ? '' : ` ${kind}`}: ${countOf(rows, 'row')}`,
    `  erases ${erased.join(', ')}`,
    ...(kept.length === 0 ? [] : [`  keeps  ${kept.join(', ')}`]),
  ];
  return `\n${lines.map(printableLine).join('\n')}`;
}

async function erase(session: Session, given: readonly Identifier[], flags: EraseFlags): Promise<void> {
  const { clock } = session.terminal;
  const { reason = '', by } = flags;
  const requestedBy = actorName(by);
  const contract = await knownContract(session);
  const subject = { identifiers: identifierCounts(given), ...(by !== undefined && { by }) };
  const operation = { action: 'erasePerson', subject, reason, logged: true };
  const { result, identifiers, location, operator } = await operateOnStore(
    session,
    operation,
    async (store, _, addDetails) => {
      await requireContract(store, contract);
      const all = await wholePerson(session, store, given, contract);
      const progress = createScanProgress(session, 'erasing');
      const deps = { store, contract, clock, report: progress.report };
      const erased = await erasePerson(deps, all, { requestedBy, reason }).finally(() => progress.stop());
      addDetails(
        { erasure: erased.id ?? '', identifiers: identifierCounts(all) },
        erased.complete && erased.logEmptied ? 'done' : 'failed',
      );
      return {
        result: erased,
        identifiers: all,
        location: store.location,
        operator: await entriesOfOperator(store, personOf(all)),
      };
    },
  );
  // Without an open connection: reading the files would drop its locks.
  const files = searchDatabase(location, identifiers, result);
  const hits = files.reduce((sum, file) => sum + file.hits, 0);
  // The audit keeps the names of operators, one in each entry.
  const isDone = result.complete && result.logEmptied && (hits <= operator || result.held > 0);
  const receipt = isDone ? await issue(session, { result, files, hits, requestedBy, reason }) : undefined;

  if (receipt === undefined) {
    session.exitCode = exitCode.partial;
    const named = hits === 0 ? 0 : await eventsOfNamingKinds(session, identifiers);
    await session.note(unfinishedText(result, files, named));
    return;
  }
  if (flags.receipt !== undefined) await writeReceipt(session, receipt, flags.receipt);
  await session.print(flags.json ? JSON.stringify(receipt) : receiptText(receipt));
  if (operator > 0)
    await session.note(
      `${countOf(operator, 'entry', 'entries')} of the audit name the person as an operator, and stay.`,
    );
  if (result.held === 0) return;
  session.exitCode = exitCode.partial;
  await session.note(
    result.held === 1
      ? '1 row of a held subject stays; `portaria privacy reapply` erases it after the hold.'
      : `${String(result.held)} rows of held subjects stay; \`portaria privacy reapply\` erases them after the hold.`,
  );
}

/** Counts the entries of the audit that name the person as the operator who acted. */
async function entriesOfOperator(store: Store, person: ReturnType<typeof personOf>): Promise<number> {
  let count = 0;
  let after: string | undefined;
  for (;;) {
    const page = await store.audit(
      {},
      { order: 'oldest', limit: 1_000, ...(after !== undefined && { after }) },
    );
    count += page.filter(({ actor }) => actor !== null && person.findIn(actor).length > 0).length;
    after = page.at(-1)?.id;
    if (page.length < 1_000) return count;
  }
}

/** Counts the events whose kind names the person: a kind is the event's identity, and stays. */
async function eventsOfNamingKinds(session: Session, identifiers: readonly Identifier[]): Promise<number> {
  const person = personOf(identifiers);
  return withStore(session, async (store) => {
    let count = 0;
    for await (const page of allContents(store, ['event']))
      count += page.filter(({ kind }) => kind !== null && person.findIn(kind).length > 0).length;
    return count;
  });
}

function searchDatabase(
  location: string,
  identifiers: readonly Identifier[],
  { values, resumed }: ErasureResult,
): readonly SearchedFile[] {
  const files = ['', '-wal', '-shm'].map((suffix) => ({
    path: `${location}${suffix}`,
    name: `${basename(location)}${suffix}`,
  }));
  return searchFiles(files, identifiers, values, resumed);
}

interface Done {
  readonly result: ErasureResult;
  readonly files: readonly SearchedFile[];
  readonly hits: number;
  readonly requestedBy: string;
  readonly reason: string;
}

function issue(session: Session, { result, files, hits, requestedBy, reason }: Done): Promise<Receipt> {
  return withStore(session, async (store) => {
    const erasure = result.id ?? '';
    const content = {
      erasure,
      store_id: store.storeId,
      finished_at: instantText(session.terminal.clock.now()),
      requested_by: requestedBy,
      reason,
      identifiers: result.identifiers,
      erased_rows: result.rows,
      held_rows: result.held,
      rows_left: 0,
      log_emptied: result.logEmptied,
      files,
      bytes_searched: files.reduce((sum, { bytes }) => sum + bytes, 0),
      hits,
    } as const;
    const receipt = signReceipt(content, await store.erasureKey());
    await store.finishErasure(erasure, JSON.stringify(receipt));
    return receipt;
  });
}

async function writeReceipt(session: Session, receipt: Receipt, file: string): Promise<void> {
  const path = resolve(session.terminal.cwd, file);
  const { warning } = await writePrivateFile({ path, shownAs: file, force: false }, (output) =>
    writeText(output, `${JSON.stringify(receipt, null, 2)}\n`),
  );
  if (warning !== null) await session.note(`warning: ${warning}`);
}

/** Says why there is no receipt yet, and what to do. */
function unfinishedText(result: ErasureResult, files: readonly SearchedFile[], namedByKind: number): string {
  const hits = files
    .filter((file) => file.hits > 0)
    .map((file) => `${file.name}: ${countOf(file.hits, 'occurrence')}`);
  const reasons = [
    ...(result.running > 0
      ? [
          `${countOf(result.running, 'delivery')} of erased events still run, and may store what they have read`,
        ]
      : []),
    ...(result.complete || result.running > 0 ? [] : ['rows changed while they were erased']),
    ...(result.logEmptied ? [] : ['another process reads the write-ahead log, which still holds the data']),
    ...(hits.length > 0 ? [`the files still name the person (${hits.join(', ')})`] : []),
  ];
  if (namedByKind > 0)
    reasons.push(
      `the kind of ${countOf(namedByKind, 'event')} names the person, and stays: no receipt is possible`,
    );
  const isOver = result.complete && result.logEmptied && namedByKind > 0;
  if (isOver) return `The erasure is not finished: ${reasons.join('; ')}.`;
  const remedy =
    hits.length > 0
      ? ' If it ends like this again, they hold a form that is not recognized: see "What it cannot do" in docs/privacy.md.'
      : '';
  return `The erasure is not finished: ${reasons.join('; ')}. Run the same command again.${remedy}`;
}

/** The receipt for people. */
function receiptText(receipt: Receipt): string {
  const otherHits = receipt.files.reduce((sum, file) => sum + file.otherHits, 0);
  return fieldLines({
    erasure: receipt.erasure,
    finished: receipt.finished_at,
    by: receipt.requested_by,
    reason: receipt.reason,
    ...Object.fromEntries(
      Object.entries(receipt.erased_rows).map(([place, count]) => [`${place} rows`, count]),
    ),
    'held rows': receipt.held_rows,
    searched: `${readableBytes(receipt.bytes_searched)} in ${receipt.files.map(({ name }) => name).join(', ')}`,
    found: `${countOf(receipt.hits, 'occurrence')} of the person's identifiers`,
    'other values': `${countOf(otherHits, 'occurrence')}, in records that do not identify the person`,
    signature: receipt.signature,
  });
}
