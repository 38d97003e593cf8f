/** The rules that hold for any sequence of calls, for a store in an SQLite file. */
import { sqliteFile } from './sqlite-places.ts';
import { describeStore } from './store-conformance.ts';

describeStore(sqliteFile, ['properties']);
