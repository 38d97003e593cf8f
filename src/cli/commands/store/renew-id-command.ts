/** `portaria store renew-id`: draws a new store id after a database was restored. */
import type { Command } from 'commander';
import { entryOf } from '../../../audit/operation.ts';
import { renewStoreId } from '../../../store/open-store.ts';
import { instantTextOrNull } from '../../../view/instant-text.ts';
import { operatorOf } from '../../audited.ts';
import { jsonOption } from '../../options/list-options.ts';
import { fieldLines, readableTime } from '../../output/format.ts';
import type { Session } from '../../session.ts';
import { withStore } from '../../with-store.ts';

type Renewed = Awaited<ReturnType<typeof renewStoreId>>;

interface RenewFlags {
  readonly keepId: boolean;
  readonly json: boolean;
}

export function addStoreRenewId(store: Command, session: Session): void {
  store
    .command('renew-id')
    .description('draw a new store id after the database was restored or has failed over; stop serve first')
    .option('--keep-id', 'keep the id because no event was lost, and only record the server', false)
    .addOption(jsonOption())
    .addHelpText('after', epilogue)
    .action(async ({ keepId, json }: RenewFlags) => {
      const { clock, random } = session.terminal;
      // Opening it migrates the tables of an older backup.
      const renewed = await withStore(session, (_, config) =>
        renewStoreId(config, { keepId, clock, random, entry: (done) => entryAbout(session, done) }),
      );
      await session.print(json ? JSON.stringify(renewedJson(renewed)) : renewedText(renewed));
      await session.note(isKept(renewed) ? KEPT : nextText(renewed));
    });
}

const isKept = ({ storeId, formerStoreId }: Renewed): boolean => storeId === formerStoreId;

function entryAbout({ terminal }: Session, renewed: Renewed): ReturnType<typeof entryOf> {
  const { storeId, formerStoreId, lastEvent } = renewed;
  const action = isKept(renewed) ? 'keepStoreId' : 'renewStoreId';
  const subject = {
    ...(isKept(renewed) ? { kept: storeId } : { from: formerStoreId, to: storeId }),
    ...(lastEvent !== null && { event: lastEvent }),
  };
  const operation = { action, subject, operator: operatorOf(terminal) };
  return entryOf(operation, { at: terminal.clock.now(), result: 'done' });
}

function renewedText(renewed: Renewed): string {
  const { location, storeId, formerStoreId, lastEvent, newestAt } = renewed;
  return fieldLines({
    database: location,
    'store id': isKept(renewed)
      ? `${storeId}, as before`
      : `${storeId} for new events, instead of ${formerStoreId}`,
    'last event': lastEvent ?? 'none',
    received: readableTime(instantTextOrNull(newestAt)) || 'never',
  });
}

function renewedJson(renewed: Renewed): object {
  const { location, storeId, formerStoreId, lastEvent, newestAt } = renewed;
  return {
    database: location,
    store_id: storeId,
    former_store_id: formerStoreId,
    kept: isKept(renewed),
    last_event: lastEvent,
    last_received_at: instantTextOrNull(newestAt),
  };
}

const KEPT = 'This server is recorded. The id is unchanged, and running processes need no restart.';

function nextText({ newestAt }: Renewed): string {
  const since = newestAt === null ? 'the backup' : readableTime(instantTextOrNull(newestAt));
  return [
    'Stored events keep their ids. Before serve starts:',
    '  portaria privacy reapply   with --receipts <files>: one for each erasure since the backup',
    '  portaria audit verify',
    `Webhooks acknowledged after ${since} are not in this database: ask the provider to send them again. If the`,
    'lost database still takes writes, `events export --since` there and `events import` here do as well (docs/scale.md).',
  ].join('\n');
}

const epilogue = `
The ids of events, and so the idempotency keys of handlers, have the store id and a number. A database
that was restored gives out the numbers again that were given out since the backup. With a new store id
they are other ids, so systems that remember keys take the new events for new ones. Stored events keep
their ids and keys. To run it twice, or without need, does no harm; sessions of the console end.

Run it after pg_restore, a point-in-time recovery or a failover to an asynchronous standby, and for an
SQLite file that was put back by other means than \`portaria restore\`, which does it by itself. doctor and
the log of serve say when a database in PostgreSQL seems to have been restored. After a failover that lost
nothing, --keep-id ends that warning, also beside a running serve.
`;
