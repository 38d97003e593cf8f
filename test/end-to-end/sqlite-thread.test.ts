import type * as FromSource from '../../src/store/sqlite/open-sqlite-store.ts';
import { sqliteThread } from '../conformance/sqlite-places.ts';
import { describeStore } from '../conformance/store-conformance.ts';

const built = new URL('../../dist/src/store/sqlite/open-sqlite-store.js', import.meta.url).href;
const { openSqliteStore } = (await import(built)) as typeof FromSource;

describeStore(sqliteThread(openSqliteStore));
