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
 * The URL of one of our own files that is started or imported by URL.
 *
 * @param path below the package's root, without the extension, as in `src/index`
 */
export function ownModule(path: `${'src' | 'provider'}/${string}`): URL {
  return pathToFileURL(join(packageRoot(), ownExtension === '.js' ? 'dist' : '', `${path}${ownExtension}`));
}
