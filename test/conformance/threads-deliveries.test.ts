import { sqliteBuilt } from './built-threads.ts';
import { describeStore } from './store-conformance.ts';

describeStore(sqliteBuilt, ['deliveries']);
