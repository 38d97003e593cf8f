/** The places that the bootstrap reads and writes. */
import { fileURLToPath } from 'node:url';

const at = (/** @type {string} */ path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

export const root = at('.');
export const packageJson = at('package.json');
export const packageLock = at('package-lock.json');
export const nodeModules = at('node_modules');
/** npm's record of the installed tree. */
export const installedLock = at('node_modules/.package-lock.json');
export const dist = at('dist');
export const buildStamp = at('dist/.portaria-bootstrap');
/**
 * As deep as `dist`, so that the paths in source maps stay right after the swap. One
 * for each process: the compiler of a killed build may still write to its own.
 */
export const nextDist = at(`.dist-next-${process.pid}`);
export const previousDist = at('.dist-previous');
/** The build of the provider's package. It is made inside the next `dist`, which is as deep. */
export const providerDist = at('provider/dist');
export const previousProviderDist = at('.dist-previous-provider');
/** Programs from npm packages, beside `node_modules`, which `npm ci` empties. */
export const fetched = at('.fetched');
export const lockFile = at('.bootstrap.lock');
