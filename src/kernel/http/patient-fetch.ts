/**
 * `fetch` whose caller alone decides how long to wait.
 *
 * Depends on undici, of which Node.js has its `fetch`: a request goes to the `dispatcher` of the call, otherwise to that
 * of the process, under a symbol. Undici 8 (Node.js 26) asks another symbol. Undici 7 sets it, too, but never asks it.
 */

interface Dispatcher {
  dispatch(request: object, handler: object): boolean;
}

const PROCESS_DISPATCHER = Symbol.for(
  `undici.globalDispatcher.${Number.parseInt(process.versions['undici'] ?? '') >= 8 ? '2' : '1'}`,
);

/** Passes requests on to a dispatcher, which may be a proxy's, without its limits of 300 seconds. */
function patient(given: Dispatcher | undefined): Dispatcher {
  return {
    dispatch(request, handler) {
      const ofProcess = (globalThis as unknown as Record<symbol, Dispatcher | undefined>)[PROCESS_DISPATCHER];
      const dispatcher = given ?? ofProcess;
      if (dispatcher === undefined) throw new Error('fetch has no dispatcher');
      return dispatcher.dispatch({ ...request, headersTimeout: 0, bodyTimeout: 0 }, handler);
    },
  };
}

/**
 * Does what `fetch` does, except that Node.js does not end it: `fetch` fails when no header, or no further byte of the
 * body, has come for 300 seconds. Pass a signal that ends it, such as `ctx.signal`.
 */
export const patientFetch: typeof fetch = (input, init?: RequestInit & { dispatcher?: Dispatcher }) =>
  fetch(input, { ...init, dispatcher: patient(init?.dispatcher) } as RequestInit);
