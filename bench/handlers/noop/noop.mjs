import { defineHandler } from 'portaria';

/** Receives every event and does nothing, so that only Portaria's work is measured. */
export default defineHandler({ name: 'noop', on: '*', handle: () => undefined });
