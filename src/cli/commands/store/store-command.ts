/** `portaria store`: maintains the database. */
import type { Command } from 'commander';
import { compact } from '../../../store/sqlite/copies/compact.ts';
import { jsonOption } from '../../options/list-options.ts';
import { readableBytes } from '../../output/format.ts';
import { requireFile } from '../../../store/open-store.ts';
import type { Session } from '../../session.ts';
import { noteOperation } from '../../audited.ts';
import { requireDatabase, withStore } from '../../with-store.ts';
import { addStoreCopy } from './copy-command.ts';
import { addStoreRenewId } from './renew-id-command.ts';

export function addStore(program: Command, session: Session): void {
  const store = program.command('store').description('maintain the database');
  store
    .command('compact')
    .description('write the database file anew without its free space; stop serve first')
    .addOption(jsonOption())
    .addHelpText('after', epilogue)
    .action(async ({ json }: { json: boolean }) => {
      const database = requireFile(
        session.config().database,
        'its autovacuum reuses free space, and `vacuum full` compacts a table',
      );
      requireDatabase({ database });
      await session.note(`Compacting ${database}; nothing else can write it until this is done.`);
      const { before, after } = compact(database);
      const subject = { bytes_before: String(before), bytes_after: String(after) };
      const operation = { action: 'compactStore', subject };
      await withStore(session, (store) => noteOperation(session, store, operation));
      await session.print(
        json
          ? JSON.stringify({ database, bytes_before: before, bytes_after: after })
          : `${readableBytes(before)} before, ${readableBytes(after)} after; from now on serve gives space back by itself`,
      );
    });
  addStoreCopy(store, session);
  addStoreRenewId(store, session);
}

const epilogue = `
A file that another program wrote gives its free space back only after this has run once. Others never
need it: serve gives space back in small steps. It takes about a second for 100 MiB, and needs free
disk of twice the content, which is checked first. If it is interrupted, the file stays as it was.
`;
