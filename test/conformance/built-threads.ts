/** The store of the build with its threads, which a test file starts once for all its stores. */
import type * as FromSource from '../../src/store/sqlite/open-sqlite-store.ts';
import { shareThread } from './reused-threads.ts';
import { sqliteThread } from './sqlite-places.ts';

const built = (path: string) => new URL(`../../dist/src/store/sqlite/${path}.js`, import.meta.url).href;
export const { openSqliteStore } = (await import(built('open-sqlite-store'))) as typeof FromSource;

/** Threads of the build, for `startThread` of a store. */
export const threads = {
  writer: shareThread(built('commit/thread/writer-thread')),
  reader: shareThread(built('read/reader-thread')),
};

/** A store of the build, whose writes and long reads run in threads. */
export const sqliteBuilt = sqliteThread(openSqliteStore, (which) => threads[which]());
