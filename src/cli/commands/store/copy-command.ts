/** `portaria store copy`: moves a store between SQLite and PostgreSQL. */
import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { entryOf } from '../../../audit/operation.ts';
import { loadConfig } from '../../../config/load-config.ts';
import { PortariaError } from '../../../kernel/errors.ts';
import { addressWithoutPassword, isPostgresAddress } from '../../../kernel/postgres-address.ts';
import { countOf } from '../../../kernel/text/count.ts';
import { copyStore, planCopy, type CopiedStore, type PlannedCopy } from '../../../store/copy/copy-store.ts';
import type { CopyPlaces } from '../../../store/copy/open-sides.ts';
import { operatorOf } from '../../audited.ts';
import { withDatabase } from '../../database-argument.ts';
import { exitCode } from '../../exit-code.ts';
import { listenForInterrupt } from '../../interruption.ts';
import { jsonOption } from '../../options/list-options.ts';
import { fieldLines } from '../../output/format.ts';
import { requireForeignFile } from '../../output/private-file.ts';
import { createProgress } from '../../output/progress.ts';
import { withoutApi, type Session } from '../../session.ts';
import { requireDatabase } from '../../with-store.ts';

interface CopyFlags {
  readonly to?: string;
  readonly dryRun: boolean;
  readonly json: boolean;
}

export function addStoreCopy(store: Command, session: Session): void {
  store
    .command('copy')
    .description('copy the store into another, empty database, and compare both; stop serve first')
    .option('--to <database>', 'an SQLite file or an address in PostgreSQL, instead of PORTARIA_COPY_TO')
    .option('--dry-run', 'check both databases and count the rows; write nothing', false)
    .addOption(jsonOption())
    .addHelpText('after', epilogue)
    .action(async ({ to, dryRun, json }: CopyFlags) => {
      const places = placesOf(session, to);
      const { clock } = session.terminal;
      if (dryRun) {
        const plan = await planCopy(places, clock);
        await session.print(json ? JSON.stringify(planJson(plan)) : planText(plan));
        return;
      }
      await copy(session, places, json);
    });
}

async function copy(session: Session, places: CopyPlaces, json: boolean): Promise<void> {
  const { terminal } = session;
  const { clock } = terminal;
  const bar = createProgress(terminal, 'copy');
  const { signal, release } = listenForInterrupt(terminal);
  let total = 0;
  let done = 0;
  try {
    const copied = await copyStore({
      ...places,
      clock,
      entry: () => entryOf(actOf(session, places), { at: clock.now(), result: 'done' }),
      watch: {
        signal,
        begin: (rows) => void (total = rows),
        rows(count, what) {
          done += count;
          // What an earlier run has copied is read once more.
          total = Math.max(total, done);
          bar.update(done, total, what);
        },
      },
    });
    bar.stop();
    await session.print(json ? JSON.stringify(copiedJson(copied)) : copiedText(copied));
    if (copied.notRecovered !== null) await session.note(`${LEFT}: ${copied.notRecovered}`);
    await session.note(NEXT);
  } catch (error) {
    bar.stop();
    if (done > 0 && !FINAL.some((code) => PortariaError.is(error, code))) await session.note(UNFINISHED);
    if (!signal.aborted) throw error;
    session.exitCode = exitCode.interrupted;
  } finally {
    release();
  }
}

const NEXT =
  'Set PORTARIA_DATABASE to the copy, and start serve. Never serve both: they give out the same ids.';
const LEFT = 'The copy is whole. Deliveries that ran when a process was killed are left to the next serve';
/** Errors of a copy that has to begin again: it differs from its source, or the source has changed. */
const FINAL = ['store-failed', 'store-unsupported'] as const;
const UNFINISHED = 'The copy is not finished. Run the same command again: it goes on where it ended.';

/** @throws PortariaError `misconfigured`, `invalid-argument`, `not-found` */
function placesOf(session: Session, to: string | undefined): CopyPlaces {
  const environment = withoutApi(withDatabase(session.environment(), '--to', to));
  const { database, databaseDirect, copyTo } = loadConfig(environment, session.terminal.cwd);
  if (copyTo === null)
    throw new PortariaError(
      'invalid-argument',
      'Name the database to copy into: --to <database>, or PORTARIA_COPY_TO for an address with a password',
    );
  requireDatabase({ database });
  if (!isPostgresAddress(database) && !isPostgresAddress(copyTo) && existsSync(copyTo))
    requireForeignFile(copyTo, copyTo, { database });
  return { from: database, fromDirect: databaseDirect, to: copyTo };
}

function actOf(session: Session, { from, to }: CopyPlaces): Parameters<typeof entryOf>[0] {
  const shown = (database: string) =>
    isPostgresAddress(database) ? addressWithoutPassword(database) : database;
  const subject = { from: shown(from), to: shown(to) };
  return { action: 'copyStore', subject, operator: operatorOf(session.terminal) };
}

function planText({ from, to, rows, isBegun }: PlannedCopy): string {
  return fieldLines({
    from,
    to,
    ...shownRows(rows),
    copy: isBegun ? 'begun; it would go on' : 'would begin',
  });
}

function planJson({ from, to, rows, isBegun }: PlannedCopy): object {
  return { from, to, dry_run: true, begun: isBegun, rows };
}

function copiedText({ from, to, storeId, rows, interrupted }: CopiedStore): string {
  return fieldLines({
    from,
    to,
    'store id': storeId,
    ...shownRows(rows),
    ...(interrupted > 0 && {
      interrupted: `${countOf(interrupted, 'delivery', 'deliveries')} of a process that was killed: pending in the copy`,
    }),
    compared: `the number and the content of the rows of ${String(Object.keys(rows).length)} tables`,
  });
}

function copiedJson({
  from,
  to,
  storeId,
  isContinued,
  interrupted,
  notRecovered,
  rows,
}: CopiedStore): object {
  return {
    from,
    to,
    store_id: storeId,
    continued: isContinued,
    interrupted,
    not_recovered: notRecovered,
    rows,
  };
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
Copies PORTARIA_DATABASE with everything in it, from SQLite to PostgreSQL or back, or between two of a
kind. Ids stay, so links, idempotency keys and what handlers have kept stay valid. Nothing can be
written to the database meanwhile, and the other one must be empty. At the end every row is read
again and compared. If it is interrupted, the database stays as it was, no command opens the
unfinished copy, and the same command goes on with it.

  portaria store copy --to postgres://portaria@db.internal/portaria
  PORTARIA_DATABASE=postgres://portaria@db.internal/portaria portaria store copy --to ./data/portaria.db
`;
