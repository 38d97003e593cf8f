/** `fetch` whose caller alone decides how long to wait. */

interface Dispatcher {
  dispatch(request: object, handler: object): boolean;
}

/** Passes requests on to the dispatcher of the process, which may be a proxy's, without its limits of 300 seconds. */
const patient: Dispatcher = {
  dispatch(request, handler) {
    // Node.js 24 has both; the first takes the handlers of the newer fetch.
    const known = globalThis as unknown as Readonly<Record<symbol, Dispatcher | undefined>>;
    const dispatcher =
      known[Symbol.for('undici.globalDispatcher.2')] ?? known[Symbol.for('undici.globalDispatcher.1')];
    if (dispatcher === undefined) throw new Error('fetch has no dispatcher');
    return dispatcher.dispatch({ ...request, headersTimeout: 0, bodyTimeout: 0 }, handler);
  },
};

/**
 * Does what `fetch` does, except that Node.js does not end it: `fetch` fails when no header, or no further byte of the
 * body, has come for 300 seconds. Pass a signal that ends it, such as `ctx.signal`.
 */
export const patientFetch: typeof fetch = (input, init) =>
  fetch(input, { ...init, dispatcher: patient } as RequestInit);
