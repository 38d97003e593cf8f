/** `portaria restore`: puts a backup in the place of the database. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { countOf } from '../../../kernel/text/count.ts';
import { shellWord } from '../../../kernel/text/shell-word.ts';
import { PortariaError } from '../../../kernel/errors.ts';
import { totalOfRows } from '../../../privacy/ledger.ts';
import { backupsIn, type RegularBackup } from '../../../store/backup-folder.ts';
import { restore, type Restored } from '../../../store/sqlite/copies/restore.ts';
import { requireFile } from '../../../store/open-store.ts';
import { isOwned } from '../../../store/sqlite/file/owner-lock.ts';
import { instantTextOrNull } from '../../../view/instant-text.ts';
import { exitCode } from '../../exit-code.ts';
import { jsonOption } from '../../options/list-options.ts';
import { fieldLines, readableTime } from '../../output/format.ts';
import { requireForeignFile } from '../../output/private-file.ts';
import type { Session } from '../../session.ts';
import { confirm } from '../../terminal/confirm.ts';
import { heldRowsNotes, keptByHoldNotes } from '../privacy/erased-again.ts';
import { eraseInCopy, nothingErased, type ErasedInCopy } from './erase-in-copy.ts';

interface RestoreFlags {
  readonly yes: boolean;
  readonly force: boolean;
  readonly json: boolean;
}

export function addRestore(program: Command, session: Session): void {
  program
    .command('restore')
    .description('put a backup in the place of the database, which is kept under another name')
    .argument('<file>', 'a backup, or the folder of PORTARIA_BACKUP_DIR for its newest; it stays as it is')
    .option('-y, --yes', 'replace the database without asking', false)
    .option('--force', 'erase again also if serve knew kinds or sources that this command does not', false)
    .addOption(jsonOption())
    .addHelpText('after', epilogue)
    .action(async (given: string, flags: RestoreFlags) => {
      const { terminal } = session;
      const config = session.config();
      const { file, before, newer = [] } = newestIn(given, terminal);
      const from = resolve(terminal.cwd, file);
      requireForeignFile(from, file, config);
      const database = requireFile(config.database, 'restore with `pg_restore`, or from a base backup');
      // Asked before the question below. The restore itself takes the lock.
      if (isOwned(database))
        throw new PortariaError('store-locked', `${database} is in use: stop serve, and restore again`);
      for (const each of newer)
        if (each !== database)
          await session.note(`${each} is newer and is not taken: portaria restore ${shellWord(each)}`);
      if (existsSync(database) && !(await confirm(session, `Replace ${database}?`, flags))) return;
      const { clock, random } = terminal;
      let erased: ErasedInCopy = { ...nothingErased, adopted: 0, holds: 0, missing: null };
      const restored = await restore({
        from,
        shownAs: file,
        to: database,
        clock,
        random,
        async prepare(copy, replaced) {
          erased = await eraseInCopy(session, copy, replaced, { from: file, force: flags.force });
        },
      }).catch((error: unknown) => {
        throw namingTheOneBefore(error, before);
      });
      if (flags.json) await session.print(JSON.stringify(restoredJson(file, database, restored, erased)));
      else {
        await session.print(restoredText(file, database, restored, erased));
        await session.note(gapText(restored));
      }
      for (const note of [...erasureNotes(erased), ...auditNotes(restored)]) await session.note(note);
      const { complete, missing, held, keptByHold } = erased;
      if (!complete || missing !== null || held + keptByHold.length > 0) session.exitCode = exitCode.partial;
    });
}

/** An error of a damaged copy, with the copy that was made before it. */
function namingTheOneBefore(error: unknown, before: string | undefined): unknown {
  if (before === undefined || !PortariaError.is(error, 'store-corrupt')) return error;
  const message = `${error.message}; the copy before it: portaria restore ${shellWord(before)}`;
  return new PortariaError(error.code, message, { cause: error });
}

/**
 * The newest backup of a folder, and the one before it; any other path as it is. A backup dated in the future is taken
 * only if there is no other.
 *
 * @throws PortariaError `not-found` for a folder without one, `invalid-argument` for one with those of several stores
 */
function newestIn(
  given: string,
  { cwd, clock }: Pick<Session['terminal'], 'cwd' | 'clock'>,
): { readonly file: string; readonly before?: string | undefined; readonly newer?: readonly string[] } {
  const path = resolve(cwd, given);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return { file: given };
  const all = backupsIn(path);
  const stores = [...new Map(all.toReversed().map((each) => [each.storeId, each])).values()];
  if (stores.length > 1)
    throw new PortariaError(
      'invalid-argument',
      `${given} has backups of several stores; name one of the newest: ${stores.map(({ file }) => file).join(', ')}`,
    );
  const [newest, before] = new Set([...all.filter(({ at }) => at <= clock.now()), ...all]);
  if (newest !== undefined)
    return { file: newest.file, before: before?.file, newer: othersAfter(newest, path, all) };
  throw new PortariaError('not-found', `${given} has no backup that serve made: name the file of one`);
}

/** Files in the folder that serve did not make, and that were written after a backup began: copies by hand, perhaps. */
function othersAfter(
  { at }: RegularBackup,
  folder: string,
  all: readonly RegularBackup[],
): readonly string[] {
  const regular = new Set(all.map(({ file }) => file));
  return readdirSync(folder)
    .filter((name) => name.endsWith('.db'))
    .map((name) => join(folder, name))
    .filter((file) => !regular.has(file) && (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) > at);
}

function restoredText(
  file: string,
  database: string,
  restored: Restored,
  { rows, holds }: ErasedInCopy,
): string {
  const { events = 0, deliveries = 0 } = restored.rows;
  return fieldLines({
    restored: database,
    from: file,
    events,
    deliveries,
    'newest event': readableTime(instantTextOrNull(restored.newestAt)) || 'none',
    'store id': `${restored.storeId} for new events; those of the backup keep ${restored.formerStoreId}`,
    'replaced file': restored.setAside ?? 'none',
    ...(holds > 0 && { 'legal holds taken over': holds }),
    ...(rows !== null && { 'erased again': countOf(totalOfRows(rows), 'row') }),
  });
}

function erasureNotes({
  held,
  heldSubjects,
  keptByHold,
  complete,
  missing,
}: ErasedInCopy): readonly string[] {
  return [
    ...(missing === null ? [] : [missing]),
    ...heldRowsNotes(held, heldSubjects),
    ...keptByHoldNotes(keptByHold),
    ...(complete ? [] : ['Not everything was erased again: run portaria privacy reapply before serve.']),
  ];
}

/** The audit of the replaced file goes on in the restored one, unless it is damaged or pruned beyond the backup. */
function auditNotes({ auditEntries, setAside }: Restored): readonly string[] {
  if (auditEntries !== null) return [];
  return [
    `The audit of the replaced file does not continue that of the backup. It stays there: portaria --database ${shellWord(setAside ?? '')} audit list`,
  ];
}

/** What the backup lacks, and how to get it. */
function gapText({ newestAt, setAside, newerEvents, newerSince }: Restored): string {
  const since = instantTextOrNull(newestAt);
  const lost = `Webhooks acknowledged after ${since === null ? 'the backup' : readableTime(since)} are not in it`;
  if (setAside === null || newerEvents === 0)
    return `${lost}. If there were any, ask the provider to send them again.`;
  if (newerEvents === null)
    return `${lost}, and the replaced file cannot be read: ask the provider to send them again.`;
  return [
    `${lost}. The replaced file has ${countOf(newerEvents, 'event')} of that time. To take them over:`,
    `  portaria --database ${shellWord(setAside)} events export --since ${instantTextOrNull(newerSince) ?? ''} --file gap.ndjson`,
    '  portaria events import gap.ndjson',
  ].join('\n');
}

function restoredJson(file: string, database: string, restored: Restored, erased: ErasedInCopy): object {
  return {
    database,
    from: file,
    store_id: restored.storeId,
    former_store_id: restored.formerStoreId,
    schema: restored.schema,
    newest_received_at: instantTextOrNull(restored.newestAt),
    rows: restored.rows,
    set_aside: restored.setAside,
    newer_events: restored.newerEvents,
    newer_since: instantTextOrNull(restored.newerSince),
    audit_entries: restored.auditEntries,
    holds: erased.holds,
    erased_again: {
      adopted: erased.adopted,
      rows: erased.rows,
      held_rows: erased.held,
      held_subjects: erased.heldSubjects,
      kept_by_hold: erased.keptByHold,
      complete:
        erased.complete && erased.missing === null && erased.held === 0 && erased.keptByHold.length === 0,
    },
  };
}

const epilogue = `
Stop serve first. The backup is checked before anything is replaced, and the replaced database stays
beside the new one as <database>.before-restore-<time>. Delete it when you no longer need it.

Everyone whom the replaced database has erased is erased in the copy before it takes its place, and its
legal holds are taken over (see portaria privacy). For that, PORTARIA_HANDLERS must be as for serve: by the
kinds and sources of the folder, stored bodies are read.

Events of the backup keep their ids; later ones get a new store id, so that no id is given out twice.
`;
