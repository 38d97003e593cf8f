/** The rules of events and operations for the built store, whose writes and long reads run in threads: it needs dist/. */
import { sqliteBuilt } from './built-threads.ts';
import { describeStore } from './store-conformance.ts';

describeStore(sqliteBuilt, ['events', 'operations']);
