/** Runs the conformance suite on a store of the build, whose writes and long reads run in threads. */
import type * as FromSource from '../../src/store/sqlite/open-sqlite-store.ts';
import { sqliteThread } from '../conformance/sqlite-places.ts';
import { describeStore } from '../conformance/store-conformance.ts';
import { shareThread } from './reused-threads.ts';

const built = (path: string) => new URL(`../../dist/src/store/sqlite/${path}.js`, import.meta.url).href;
const { openSqliteStore } = (await import(built('open-sqlite-store'))) as typeof FromSource;

const threads = {
  writer: shareThread(built('commit/thread/writer-thread')),
  reader: shareThread(built('read/reader-thread')),
};

describeStore(sqliteThread(openSqliteStore, (which) => threads[which]()));
