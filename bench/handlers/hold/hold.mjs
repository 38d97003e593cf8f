import { defineHandler } from 'portaria';

/** Takes everything and finishes nothing, so that what is pending stays pending. */
export default defineHandler({
  // The other handler's name: what one holds, the other can finish.
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
