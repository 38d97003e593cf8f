/**
 * Milliseconds that a connection may wait for its next request. Longer than the idle timeout of common
 * proxies (60 s), or they would send into a closing connection.
 */
export const KEEP_ALIVE_MS = 65_000;

/** The same as a header, for clients that would otherwise ask just when it ends. */
export const KEEP_ALIVE = `timeout=${String(KEEP_ALIVE_MS / 1_000)}`;
