import { fileURLToPath } from 'node:url';

const at = (/** @type {string} */ path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

export const root = at('.');
export const packageJson = at('package.json');
export const packageLock = at('package-lock.json');
export const nodeModules = at('node_modules');
/** npm's record of the installed tree. */
export const installedLock = at('node_modules/.package-lock.json');
/** Lies in `node_modules`, so that it disappears together with the packages. */
export const installStamp = at('node_modules/.portaria-bootstrap');
export const dist = at('dist');
export const buildStamp = at('dist/.portaria-bootstrap');
/**
 * As deep as `dist`, so that the paths in source maps stay right after the swap. One
 * for each process: the compiler of a killed build may still write to its own.
 */
export const nextDist = at(`.dist-next-${process.pid}`);
export const previousDist = at('.dist-previous');
/** npm unpacks the project's own Node.js here before it is moved into place. */
export const nextNode = at(`.node-next-${process.pid}`);
export const lockFile = at('.bootstrap.lock');
