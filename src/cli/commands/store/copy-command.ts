/** `portaria store copy`: moves a store from SQLite into PostgreSQL. */
import type { Command } from 'commander';
import { entryOf } from '../../../audit/operation.ts';
import { resolveDatabase } from '../../../config/check-databases.ts';
import { loadConfig } from '../../../config/load-config.ts';
import { PortariaError } from '../../../kernel/errors.ts';
import { addressWithoutPassword, isPostgresAddress } from '../../../kernel/postgres-address.ts';
import { copyStore, planCopy, type CopiedStore, type CopyEnds } from '../../../store/copy/copy-store.ts';
import { operatorOf } from '../../audited.ts';
import { exitCode } from '../../exit-code.ts';
import { listenForInterrupt } from '../../interruption.ts';
import { jsonOption } from '../../options/list-options.ts';
import { fieldLines } from '../../output/format.ts';
import { createProgress } from '../../output/progress.ts';
import { withoutApi, type Session } from '../../session.ts';

interface CopyFlags {
  readonly from: string;
  readonly dryRun: boolean;
  readonly json: boolean;
}

export function addStoreCopy(store: Command, session: Session): void {
  store
    .command('copy')
    .description('copy the store of an SQLite file into PostgreSQL, and compare both; stop serve first')
    .requiredOption('--from <file>', 'the SQLite file')
    .option('--dry-run', 'check both databases and count the rows; write nothing', false)
    .addOption(jsonOption())
    .addHelpText('after', epilogue)
    .action(async ({ from, dryRun, json }: CopyFlags) => {
      const ends = endsOf(session, from);
      if (!dryRun) {
        await copy(session, ends, json);
        return;
      }
      const plan = await planCopy({ ...ends, clock: session.terminal.clock });
      const { from: file, to, rows } = plan;
      await session.print(
        json
          ? JSON.stringify({ from: file, to, dry_run: true, rows })
          : fieldLines({ from: file, to, ...shownRows(rows) }),
      );
    });
}

async function copy(session: Session, ends: CopyEnds, json: boolean): Promise<void> {
  const { terminal } = session;
  const { clock } = terminal;
  const bar = createProgress(terminal, 'copy');
  const { signal, release } = listenForInterrupt(terminal);
  let total = 0;
  let done = 0;
  try {
    const copied = await copyStore({
      ...ends,
      clock,
      entry: () => entryOf(actOf(session, ends), { at: clock.now(), result: 'done' }),
      watch: {
        signal,
        begin: (rows) => void (total = rows),
        rows(count, what) {
          done += count;
          bar.update(done, total, what);
        },
      },
    });
    bar.stop();
    await session.print(json ? JSON.stringify(copiedJson(copied)) : copiedText(copied));
    await session.note('Start serve. Never serve the file again: both give out the same ids.');
  } catch (error) {
    bar.stop();
    if (done > 0) await session.note('Nothing was copied: the database is empty, and the file as before.');
    if (!signal.aborted) throw error;
    session.exitCode = exitCode.interrupted;
  } finally {
    release();
  }
}

/** @throws PortariaError `misconfigured`, `invalid-argument` */
function endsOf(session: Session, file: string): CopyEnds {
  const { cwd } = session.terminal;
  const { database, databaseDirect } = loadConfig(withoutApi(session.environment()), cwd);
  if (!isPostgresAddress(database))
    throw new PortariaError(
      'invalid-argument',
      'Set PORTARIA_DATABASE to the address of the empty PostgreSQL database to copy into',
    );
  const from = resolveDatabase(cwd, file);
  if (isPostgresAddress(from) || from === ':memory:')
    throw new PortariaError(
      'invalid-argument',
      '--from must be an SQLite file; out of PostgreSQL, events go by `portaria events export` and `events import`',
    );
  return { from, to: databaseDirect ?? database };
}

function actOf(session: Session, { from, to }: CopyEnds): Parameters<typeof entryOf>[0] {
  const subject = { from, to: addressWithoutPassword(to) };
  return { action: 'copyStore', subject, operator: operatorOf(session.terminal) };
}

function copiedText({ from, to, storeId, rows }: CopiedStore): string {
  return fieldLines({
    from,
    to,
    'store id': storeId,
    ...shownRows(rows),
    compared: `the number and the content of the rows of ${String(Object.keys(rows).length)} tables`,
  });
}

function copiedJson({ from, to, storeId, rows }: CopiedStore): object {
  return { from, to, store_id: storeId, rows };
}

function shownRows(rows: Readonly<Record<string, number>>): Record<string, number> {
  const { events = 0, deliveries = 0, quarantine = 0 } = rows;
  return {
    events,
    deliveries,
    quarantine,
    'all rows': Object.values(rows).reduce((sum, count) => sum + count, 0),
  };
}

const epilogue = `
Copies an SQLite file with everything in it into the empty PostgreSQL database of PORTARIA_DATABASE.
Ids stay, so links, idempotency keys and what handlers have kept stay valid. Nothing can be written
to the file meanwhile. At the end every row is read again and compared. All of it is one transaction:
if it is interrupted, the database is empty and the file as before, and the command begins again.

  PORTARIA_DATABASE=postgres://portaria@db.internal/portaria portaria store copy --from ./data/portaria.db
`;
