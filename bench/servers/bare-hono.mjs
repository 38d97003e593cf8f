import { servePeer } from './peer.mjs';

/** Parses the JSON and stores nothing: the minimum cost of a receiver on this framework. */
servePeer(() => undefined);
