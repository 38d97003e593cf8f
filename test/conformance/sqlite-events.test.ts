/** The rules of events and operations for a store in an SQLite file. */
import { sqliteFile } from './sqlite-places.ts';
import { describeStore } from './store-conformance.ts';

describeStore(sqliteFile, ['events', 'operations']);
