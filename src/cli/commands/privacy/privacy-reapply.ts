/** `portaria privacy reapply`: erases everyone in the ledger again, after a restore. */
import type { Command } from 'commander';
import { subjectName } from '../../../event/subject.ts';
import { countOf } from '../../../kernel/text/count.ts';
import { PortariaError } from '../../../kernel/errors.ts';
import { adoptErasures, sumRows, type KnownErasure } from '../../../privacy/ledger.ts';
import { eraseAgain, type ErasedAgain } from '../../../privacy/erase-person.ts';
import { isAuthentic } from '../../../privacy/receipt.ts';
import { resumeInterrupted } from '../../../privacy/run-erasure.ts';
import { operateOnStore } from '../../audited.ts';
import { exitCode } from '../../exit-code.ts';
import { jsonOption } from '../../options/list-options.ts';
import { repeatable } from '../../options/repeatable.ts';
import { knownContract } from '../../known-contract.ts';
import { fieldLines } from '../../output/format.ts';
import type { Session } from '../../session.ts';
import { requireContract } from '../../../handle/load/require-contract.ts';
import { createScanProgress } from './given-person.ts';
import { erasedAgainDetails, heldRowsNotes, keptByHoldNotes } from './erased-again.ts';
import { readReceipt } from './privacy-receipts.ts';

interface ReapplyFlags {
  readonly receipts?: readonly string[];
  readonly json: boolean;
}

export function addReapply(privacy: Command, session: Session): void {
  privacy
    .command('reapply')
    .description(
      'erase everyone in the ledger again, for example after an older copy was restored, and go on with interrupted erasures; it issues no receipt',
    )
    .option('--receipts <files...>', 'first take over the erasures of these receipts', repeatable)
    .addOption(jsonOption())
    .action(async (flags: ReapplyFlags) => {
      const { clock } = session.terminal;
      const receipts = receiptsOf(session, flags.receipts ?? []);
      const contract = await knownContract(session);
      const operation = { action: 'reapplyErasures', subject: {}, announced: true };
      await operateOnStore(session, operation, async (store, _, addDetails) => {
        await requireContract(store, contract);
        const progress = createScanProgress(session, 'erasing');
        const deps = { store, contract, clock, report: progress.report };
        const { adopted, resumed, unfinished, again } = await store
          .eraseAlone(async (lock) => {
            const adopted = await adoptErasures(store, receipts);
            const resumed = await resumeInterrupted(deps, lock);
            const unfinished = resumed.map(({ id }) => id);
            const again = await eraseAgain({ ...deps, signal: lock.signal }, unfinished);
            return { adopted, resumed, unfinished, again };
          })
          .finally(() => progress.stop());
        const { held, heldSubjects, running, keptByHold } = again;
        const rows = sumRows([again, ...resumed].map((each) => each.rows));
        const isDone =
          again.complete && again.logEmptied && held + keptByHold.length + unfinished.length === 0;
        if (flags.json)
          await session.print(
            JSON.stringify({
              adopted,
              unfinished,
              rows,
              held_rows: held,
              held_subjects: heldSubjects,
              kept_by_hold: keptByHold,
              running,
              complete: isDone,
            }),
          );
        else
          await session.print(
            `Erased again:\n${fieldLines({ ...rows, 'rows kept by a hold': held, 'erasures kept by a hold': keptByHold.join(', ') || 0, 'adopted erasures': adopted, 'unfinished erasures': unfinished.join(', ') || 0 })}`,
          );
        addDetails(
          {
            adopted: String(adopted),
            ...(unfinished.length > 0 && { erasure: unfinished }),
            ...erasedAgainDetails({ rows, held, heldSubjects, keptByHold }),
          },
          isDone ? 'done' : 'failed',
        );
        if (isDone) return;
        session.exitCode = exitCode.partial;
        for (const note of [
          ...heldRowsNotes(held, heldSubjects),
          ...keptByHoldNotes(keptByHold),
          ...unfinishedNotes(again),
          ...interruptedNotes(unfinished),
        ])
          await session.note(note);
      });
    });
}

function unfinishedNotes({ complete, logEmptied, holds, running }: ErasedAgain): readonly string[] {
  if (complete && logEmptied) return [];
  const held = holds.map(({ subject }) => subjectName(subject)).join(', ');
  const reason =
    held === ''
      ? `${countOf(running, 'delivery')} of erased events still run, or rows changed meanwhile`
      : `a legal hold of ${held} was placed meanwhile`;
  return [`Not finished: ${reason}. Run the command again.`];
}

function interruptedNotes(ids: readonly string[]): readonly string[] {
  if (ids.length === 0) return [];
  const [has, person, it] =
    ids.length === 1 ? ['has', 'this person', 'its'] : ['have', 'these people', 'their'];
  return [
    `${ids.join(', ')} ${has} no receipt yet: only hashes of the identifiers are left, which recognize less. Run \`portaria privacy erase\` for ${person} again for ${it} receipt.`,
  ];
}

function receiptsOf(session: Session, files: readonly string[]): readonly KnownErasure[] {
  return files.map((file) => {
    const receipt = readReceipt(session, file);
    if (!isAuthentic(receipt))
      throw new PortariaError('invalid-argument', `${file} was changed after it was signed`);
    const { erasure, requested_by: requestedBy, reason, identifiers, public_key: publicKey } = receipt;
    const origin = `${file} (${erasure})`;
    return { origin, publicKey, requestedBy, reason, identifiers, receipt: JSON.stringify(receipt) };
  });
}
