/** Draws again what a property (fast-check) drew that failed: it tells its seed, and PROPERTY_SEED takes it back. */
const seed = process.env['PROPERTY_SEED'];
if (seed !== undefined) {
  // Loaded only now: most tests have no properties.
  const { configureGlobal } = await import('fast-check');
  configureGlobal({ seed: Number(seed) });
}
