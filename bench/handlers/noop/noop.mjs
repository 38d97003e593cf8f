import { defineHandler } from 'portaria';

/** Takes everything and does nothing, so that only Portaria's own work is measured. */
export default defineHandler({ name: 'noop', on: '*', handle: () => undefined });
