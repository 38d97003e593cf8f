/** Setup file: PROPERTY_SEED repeats a failed run of a property test (fast-check), which prints its seed. */
const seed = process.env['PROPERTY_SEED'];
if (seed !== undefined) {
  // Most tests have no properties, so fast-check is loaded only when it is needed.
  const { configureGlobal } = await import('fast-check');
  configureGlobal({ seed: Number(seed) });
}
