import { sqliteFile } from './sqlite-places.ts';
import { describeStore } from './store-conformance.ts';

describeStore(sqliteFile, ['deliveries', 'durability']);
