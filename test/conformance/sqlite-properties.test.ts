/** A store in memory runs the statements of a store in a file, so the rules that need no file are tried on one of them. */
import { sqliteFile, sqliteMemory } from './sqlite-places.ts';
import { describeStore } from './store-conformance.ts';

describeStore(sqliteFile, ['properties']);
describeStore(sqliteMemory, ['properties']);
