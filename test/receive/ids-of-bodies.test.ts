/** A sender's own id may be in the body, and some fields make no event another one. */
import { describeIdsOfBodies } from './kit/ids-of-bodies.ts';

describeIdsOfBodies(() => Promise.resolve(':memory:'));
