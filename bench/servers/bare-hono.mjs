import { servePeer } from './peer.mjs';

/** Parses the JSON and keeps nothing: what any receiver on this framework costs at least. */
servePeer(() => undefined);
