/** Copies into the build what pages load of packages. */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { nodeModules } from './paths.mjs';

/** What pages need of a package. As a dependency, users would install all of it, and one that reports installations. */
const files = {
  'htmx.org': ['dist/htmx.min.js', 'LICENSE'],
  'swagger-ui-dist': [
    'swagger-ui-bundle.js',
    'swagger-ui.css',
    'LICENSE',
    'NOTICE',
    // The licences of the libraries in the bundle, which refers to this file.
    'swagger-ui-bundle.js.LICENSE.txt',
  ],
};

/**
 * Copies the files of a package that pages load into the build.
 *
 * @param {string} build the folder of the build
 * @param {keyof typeof files} name
 */
export function copyPackage(build, name) {
  const from = join(nodeModules, name);
  const to = join(build, 'node_modules', name);
  for (const file of files[name]) {
    mkdirSync(dirname(join(to, file)), { recursive: true });
    copyFileSync(join(from, file), join(to, file));
  }
  const { version, license } = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8'));
  writeFileSync(join(to, 'package.json'), `${JSON.stringify({ name, version, license })}\n`);
}
