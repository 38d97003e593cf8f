/**
 * How long a connection stays open without a request, in milliseconds. Longer than the idle timeout of common
 * proxies (60 s); otherwise they would send into a closing connection.
 */
export const KEEP_ALIVE_MS = 65_000;

/** The `Keep-Alive` header for {@link KEEP_ALIVE_MS}: clients stop using the connection in time. */
export const KEEP_ALIVE = `timeout=${String(KEEP_ALIVE_MS / 1_000)}`;
