/** Finds Portaria's own files, whether sources or the build run. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

// The build bundles many modules into one file, so no module may derive a path
// from its own import.meta.url. These functions work from the sources and from dist/.

let root: string | undefined;
let version: string | undefined;

/** Returns the folder of Portaria's own `package.json`. */
export function packageRoot(): string {
  root ??= findRoot(dirname(fileURLToPath(import.meta.url)));
  return root;
}

function findRoot(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : findRoot(dirname(folder));
}

/** Returns the version in Portaria's own `package.json`. */
export function packageVersion(): string {
  version ??= (JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as { version: string })
    .version;
  return version;
}

/** The extension of the running files: `.ts` from the sources, `.js` from the build. */
export const ownExtension = extname(import.meta.url);

/** Returns a folder of the running files: of the sources, or of the build. */
export function ownFolder(name: 'src' | 'handlers'): string {
  return join(packageRoot(), ownExtension === '.js' ? 'dist' : '', name);
}

/**
 * Returns the URL of one of Portaria's own modules, to start or import it by URL.
 *
 * @param path below the package's root, without the extension: `src/index`
 */
export function ownModule(path: `${'src' | 'provider'}/${string}`): URL {
  return pathToFileURL(join(packageRoot(), ownExtension === '.js' ? 'dist' : '', `${path}${ownExtension}`));
}
