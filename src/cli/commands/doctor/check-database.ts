import { constants, existsSync, realpathSync } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Config } from '../../../config/config.ts';
import type { Clock } from '../../../kernel/time/clock.ts';
import { describeModes } from '../../../kernel/files/keep-private.ts';
import { openSqliteStore } from '../../../store/sqlite/open-sqlite-store.ts';
import type { StoreStatistics } from '../../../store/queries.ts';
import type { Store, StoreCheck } from '../../../store/store.ts';
import { instantText } from '../../../view/instant-text.ts';
import { readableBytes } from '../../output/readable-bytes.ts';
import { countsText, droppedText } from '../../output/statistics-text.ts';

/** Events this far ahead of the clock, in milliseconds, mean that it was set back. */
const CLOCK_TOLERANCE_MS = 60_000;

/** The share of its quota from which on the quarantine is worth a word. */
const NEARLY_FULL = 0.9;

/** The store's own checks and what it holds; without a database, whether one could be made. */
export async function checkDatabase(config: Config, clock: Clock): Promise<readonly StoreCheck[]> {
  if (!existsSync(config.database)) return [await checkPlace(config.database)];
  const notes: StoreCheck[] = [];
  const { database: path, maxQuarantineBytes } = config;
  const store = await openSqliteStore({
    path,
    role: 'guest',
    maxQuarantineBytes,
    clock,
    onWarning(warning) {
      notes.push({ name: 'file', ok: true, detail: `note: ${warning}` });
    },
  });
  try {
    return [
      { name: 'database', ok: true, detail: store.location },
      ...notes,
      ...(await store.checks()),
      await checkClock(store, clock),
      await checkBacklog(store),
      checkQuarantine(await store.statistics()),
    ];
  } finally {
    await store.close();
  }
}

/** The modes of the provider's own file, where this folder has one: it holds secrets, too. */
export function checkProviderFile(file: string): readonly StoreCheck[] {
  if (!existsSync(file)) return [];
  const { isPrivate, text } = describeModes(realpathSync(file));
  return [{ name: 'provider file', ok: isPrivate, detail: text }];
}

async function checkPlace(database: string): Promise<StoreCheck> {
  let folder = dirname(database);
  while (!existsSync(folder)) folder = dirname(folder);
  const isFolder = (await stat(folder)).isDirectory();
  const writable = isFolder && (await canWrite(folder));
  return {
    name: 'database',
    ok: writable,
    detail: writable
      ? `${database} does not exist yet; \`portaria serve\` makes it`
      : `${database} does not exist, and ${folder} cannot be written: give this user the folder, or set PORTARIA_DATABASE`,
  };
}

function canWrite(folder: string): Promise<boolean> {
  return access(folder, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
}

async function checkClock(store: Store, clock: Clock): Promise<StoreCheck> {
  const [newest] = await store.events({}, { order: 'newest', limit: 1 });
  const ahead = newest !== undefined && newest.receivedAt > clock.now() + CLOCK_TOLERANCE_MS;
  return {
    name: 'clock and log',
    ok: !ahead,
    detail: ahead
      ? `event ${newest.id} is from ${instantText(newest.receivedAt)}, ahead of the clock: was it set back?`
      : 'no event is from the future',
  };
}

async function checkBacklog(store: Store): Promise<StoreCheck> {
  const { deliveries } = await store.statistics();
  const advice = deliveries.dead > 0 ? ' (see `portaria deliveries list --status dead`)' : '';
  return {
    name: 'deliveries',
    ok: true,
    detail: `${countsText(deliveries)}${advice}`,
  };
}

/** Never a failure: to drop what strangers send is what the quota is for. */
function checkQuarantine(statistics: StoreStatistics): StoreCheck {
  const { quarantineHeld, quarantineBytes, quarantineMaxBytes, quarantineDropped } = statistics;
  const share = quarantineBytes / quarantineMaxBytes;
  const advice =
    share < NEARLY_FULL
      ? ''
      : ': nearly full, the oldest entries are dropped next; release what fits (`portaria quarantine release`), verify senders, or raise PORTARIA_MAX_QUARANTINE_BYTES';
  return {
    name: 'quarantine',
    ok: true,
    detail:
      `${String(quarantineHeld)} held, ${readableBytes(quarantineBytes)} of ${readableBytes(quarantineMaxBytes)}; ` +
      `${droppedText(quarantineDropped)}${advice}`,
  };
}
