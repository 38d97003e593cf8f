/** The rules of events and operations for a store in PostgreSQL. */
import { describeStore } from '../conformance/store-conformance.ts';
import { postgres } from './kit/postgres-places.ts';

describeStore(postgres, ['events', 'operations']);
