import { defineHandler } from 'portaria';

/** Receives every event and never finishes, so that deliveries stay pending. */
export default defineHandler({
  // The same name as the other handler, which can finish these deliveries.
  name: 'noop',
  on: '*',
  timeoutMs: 3_600_000,
  handle: (_event, { signal }) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => {
        reject(signal.reason);
      });
    }),
});
