import { sqliteFile, sqliteMemory } from './sqlite-places.ts';
import { describeStore } from './store-conformance.ts';

describeStore(sqliteFile);
describeStore(sqliteMemory);
