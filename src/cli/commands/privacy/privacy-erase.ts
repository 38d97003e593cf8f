/** `portaria privacy erase`: erases a person and issues a signed receipt. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { countOf } from '../../../kernel/text/count.ts';
import { PortariaError } from '../../../kernel/errors.ts';
import { printableLine } from '../../../kernel/text/printable.ts';
import type { Unfinished } from '../../../privacy/conclude-erasure.ts';
import { holdsOf, rejectHeld } from '../../../privacy/erasable.ts';
import { requireErasureReason } from '../../../privacy/erasure-reason.ts';
import { identifierCounts, type Identifier } from '../../../privacy/identifier.ts';
import { personOf } from '../../../privacy/person.ts';
import { planErasure, type PlannedKind } from '../../../privacy/plan-erasure.ts';
import type { Receipt } from '../../../privacy/receipt.ts';
import { runErasure } from '../../../privacy/run-erasure.ts';
import { operateOnStore } from '../../audited.ts';
import { exitCode } from '../../exit-code.ts';
import { jsonOption } from '../../options/list-options.ts';
import { knownContract } from '../../known-contract.ts';
import { fieldLines, readableBytes, readableTime } from '../../output/format.ts';
import { requireForeignFile, writePrivateFile } from '../../output/private-file.ts';
import type { Session } from '../../session.ts';
import { writeText } from '../../terminal/text-output.ts';
import { requireContract } from '../../../handle/load/require-contract.ts';
import { withStore } from '../../with-store.ts';
import { actorName, createScanProgress, givenIdentifiers, WHO, wholePerson } from './given-person.ts';

interface EraseFlags {
  readonly dryRun: boolean;
  readonly yes: boolean;
  readonly reason?: string;
  readonly by?: string;
  readonly receipt?: string;
  readonly json: boolean;
}

export function addErase(privacy: Command, session: Session): void {
  privacy
    .command('erase')
    .description(
      "erase a person's data from every row, search the files of an SQLite database for it, and issue a signed receipt",
    )
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
    const holds = holdsOf(person, await store.holds());
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
  const requestedBy = actorName(session, by);
  requireErasureReason(reason, given);
  const contract = await knownContract(session);
  const subject = { identifiers: identifierCounts(given), ...(by !== undefined && { by }) };
  const operation = { action: 'erasePerson', subject, reason, announced: true };
  const { conclusion, result, asOperator } = await operateOnStore(
    session,
    operation,
    async (store, _, addDetails) => {
      await requireContract(store, contract);
      const progress = createScanProgress(session, 'erasing');
      const begun = (erasure: string): void => addDetails({ erasure });
      const deps = { store, contract, clock, report: progress.report, begun };
      const erased = await runErasure(deps, given, { requestedBy, reason }).finally(() => progress.stop());
      addDetails(
        { identifiers: identifierCounts(erased.identifiers) },
        erased.conclusion.receipt === undefined ? 'failed' : 'done',
      );
      return erased;
    },
  );
  const { receipt, unfinished } = conclusion;
  if (receipt === undefined) {
    session.exitCode = exitCode.partial;
    await session.note(unfinishedText(unfinished));
    return;
  }
  await session.print(flags.json ? JSON.stringify(receipt) : receiptText(receipt));
  if (asOperator > 0)
    await session.note(
      `${countOf(asOperator, 'entry', 'entries')} of the audit name the person as an operator, and stay.`,
    );
  if (result.held > 0) {
    session.exitCode = exitCode.partial;
    await session.note(heldText(result.held));
  }
  if (flags.receipt !== undefined) await writeReceipt(session, receipt, flags.receipt);
}

function heldText(held: number): string {
  return held === 1
    ? '1 row of a held subject stays; `portaria privacy reapply` erases it after the hold.'
    : `${String(held)} rows of held subjects stay; \`portaria privacy reapply\` erases them after the hold.`;
}

async function writeReceipt(session: Session, receipt: Receipt, file: string): Promise<void> {
  const path = resolve(session.terminal.cwd, file);
  const { warning } = await writePrivateFile({ path, shownAs: file, force: false }, (output) =>
    writeText(output, `${JSON.stringify(receipt, null, 2)}\n`),
  ).catch(async (error: unknown) => {
    await session.note(
      `The person is erased, and the receipt is stored: \`portaria privacy receipts ${receipt.erasure}\` prints it.`,
    );
    throw error;
  });
  if (warning !== null) await session.note(`warning: ${warning}`);
}

/** Says why there is no receipt yet, and what to do. */
function unfinishedText({ reasons, again, inFiles }: Unfinished): string {
  const text = `The erasure is not finished: ${reasons.join('; ')}.`;
  const remedy = inFiles
    ? ' If it ends like this again, they hold a form that is not recognized: see "What it cannot do" in docs/privacy.md.'
    : '';
  return again ? `${text} Run the same command again.${remedy}` : text;
}

/** The receipt for people. */
function receiptText(receipt: Receipt): string {
  const otherHits = receipt.files.reduce((sum, file) => sum + file.otherHits, 0);
  const runs = receipt.runs.length;
  return fieldLines({
    erasure: receipt.erasure,
    finished: readableTime(receipt.finished_at),
    by: receipt.requested_by,
    reason: receipt.reason,
    ...(runs > 1 && { runs: `${String(runs)}, because the first ones were interrupted` }),
    ...Object.fromEntries(
      Object.entries(receipt.erased_rows).map(([place, count]) => [`${place} rows`, count]),
    ),
    'held rows': receipt.held_rows,
    searched:
      receipt.files.length === 0
        ? 'no files: the database is on a server'
        : `${readableBytes(receipt.bytes_searched)} in ${receipt.files.map(({ name }) => name).join(', ')}`,
    found: `${countOf(receipt.hits, 'occurrence')} of the person's identifiers`,
    'other values': `${countOf(otherHits, 'occurrence')}, in records that do not identify the person`,
    signature: receipt.signature,
  });
}
