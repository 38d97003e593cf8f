/** `portaria backup`: copies the database while `serve` runs. */
import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Config } from '../../../config/config.ts';
import { PortariaError } from '../../../kernel/errors.ts';
import { backupPath } from '../../../store/backup-folder.ts';
import { backUp, type Backup } from '../../../store/sqlite/copies/back-up.ts';
import { instantTextOrNull } from '../../../view/instant-text.ts';
import { requireFile } from '../../../store/open-store.ts';
import { noteOperation } from '../../audited.ts';
import { exitCode } from '../../exit-code.ts';
import { listenForInterrupt } from '../../interruption.ts';
import { jsonOption } from '../../options/list-options.ts';
import { fieldLines, readableBytes, readableTime } from '../../output/format.ts';
import { requireForeignFile } from '../../output/private-file.ts';
import { createProgress } from '../../output/progress.ts';
import type { Session } from '../../session.ts';
import { requireDatabase, withStore } from '../../with-store.ts';

interface BackupFlags {
  readonly force: boolean;
  readonly json: boolean;
}

export function addBackup(program: Command, session: Session): void {
  program
    .command('backup')
    .description('copy the database to a file while serve runs, and check the copy')
    .argument('[file]', 'the file to write; only its owner can read it (default: one in PORTARIA_BACKUP_DIR)')
    .option('--force', 'replace the file if it exists', false)
    .addOption(jsonOption())
    .addHelpText('after', epilogue)
    .action(async (given: string | undefined, { force, json }: BackupFlags) => {
      const { terminal } = session;
      const config = session.config();
      const from = requireFile(config.database, 'use `pg_dump`, or a base backup with archived WAL');
      requireDatabase(config);
      const file = given ?? (await regularFile(session, config));
      const to = resolve(terminal.cwd, file);
      requireForeignFile(to, file, config);
      const bar = createProgress(terminal, 'backup');
      const { signal, release } = listenForInterrupt(terminal);
      try {
        const backup = await backUp({
          from,
          to,
          shownAs: file,
          force,
          signal,
          onProgress: (done, total) => {
            bar.update(done, total, 'pages');
          },
        });
        bar.stop();
        const { events = 0 } = backup.rows;
        const subject = { file, events: String(events), bytes: String(backup.bytes) };
        const operation = { action: 'backUpDatabase', subject };
        // Afterwards, and as far as possible: a full disk must not prevent a backup.
        await withStore(session, (store) => noteOperation(session, store, operation));
        await session.print(json ? JSON.stringify(backupJson(file, backup)) : backupText(file, backup));
      } catch (error) {
        if (!signal.aborted) throw error;
        await session.note('Interrupted; no file was written.');
        session.exitCode = exitCode.interrupted;
      } finally {
        bar.stop();
        release();
      }
    });
}

/** A file of the folder in which `serve` makes its copies: one like its own, so it is counted and removed like them. */
async function regularFile(session: Session, { backup }: Config): Promise<string> {
  if (backup === null)
    throw new PortariaError('invalid-argument', 'name the file to write, or set PORTARIA_BACKUP_DIR');
  mkdirSync(backup.folder, { recursive: true, mode: 0o700 });
  const now = session.terminal.clock.now();
  return withStore(session, async ({ storeId }) => backupPath(backup.folder, storeId, now));
}

function backupText(file: string, backup: Backup): string {
  const { events = 0, deliveries = 0, quarantine = 0 } = backup.rows;
  return fieldLines({
    backup: file,
    size: readableBytes(backup.bytes),
    events,
    deliveries,
    quarantine,
    'newest event': readableTime(instantTextOrNull(backup.newestAt)) || 'none',
    'store id': backup.storeId,
    checked: 'every page and the number of rows of every table',
  });
}

function backupJson(file: string, { bytes, storeId, schema, newestAt, rows }: Backup): object {
  return {
    file,
    bytes,
    store_id: storeId,
    schema,
    newest_received_at: instantTextOrNull(newestAt),
    rows,
  };
}

const epilogue = `
The copy is of one moment. Webhooks and deliveries go on meanwhile; the write-ahead log grows until
the copy is done. It holds personal data as the database does: keep it as safe, and no longer.
\`portaria restore <file>\` puts it back. Without a file, it is one of those that serve makes by itself.
`;
