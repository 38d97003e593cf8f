import { fileURLToPath } from 'node:url';

const at = (/** @type {string} */ path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

export const root = at('.');
export const packageJson = at('package.json');
export const packageLock = at('package-lock.json');
export const nodeModules = at('node_modules');
/** What npm itself records of the tree it installed. */
export const installedLock = at('node_modules/.package-lock.json');
/** Goes away with `node_modules`, and with it the claim that it is complete. */
export const installStamp = at('node_modules/.portaria-bootstrap');
export const dist = at('dist');
export const buildStamp = at('dist/.portaria-bootstrap');
/**
 * As deep as `dist`, so that the paths in source maps stay right when it takes
 * its place. One a process: the compiler of a build that was killed may still write to its own.
 */
export const nextDist = at(`.dist-next-${process.pid}`);
export const previousDist = at('.dist-previous');
/** Where npm unpacks the project's own Node.js before it takes its place. */
export const nextNode = at(`.node-next-${process.pid}`);
export const lockFile = at('.bootstrap.lock');
