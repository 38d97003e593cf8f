/** The rules of deliveries for a store in an SQLite file, and what survives a power failure. */
import { sqliteFile } from './sqlite-places.ts';
import { describeStore } from './store-conformance.ts';

describeStore(sqliteFile, ['deliveries', 'durability']);
