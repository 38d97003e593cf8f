import { describeStore } from '../conformance/store-conformance.ts';
import { postgres } from './postgres-places.ts';

describeStore(postgres, ['events']);
