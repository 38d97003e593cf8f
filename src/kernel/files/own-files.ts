import { extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { packageRoot } from './package-root.ts';

// To be asked instead of a module's own address: what is built has many modules
// in one file, which lies elsewhere than they would.

/** Of the files that run: `.ts` from the sources, `.js` from what is built of them. */
export const ownExtension = extname(import.meta.url);

/** The folder of the files that run: the sources themselves, or what is built of them. */
export function ownFolder(name: 'src' | 'handlers'): string {
  return join(packageRoot(), ownExtension === '.js' ? 'dist' : '', name);
}

/**
 * The address of a file of its own that is started or imported by address.
 *
 * @param path in `src`, without the extension
 */
export function ownModule(path: string): URL {
  return pathToFileURL(join(ownFolder('src'), `${path}${ownExtension}`));
}
