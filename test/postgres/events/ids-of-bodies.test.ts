/** What ids in bodies mean does not depend on the store. */
import { describeIdsOfBodies } from '../../receive/kit/ids-of-bodies.ts';
import { emptyDatabase } from '../kit/empty-database.ts';

describeIdsOfBodies(emptyDatabase);
