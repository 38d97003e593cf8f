import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { nodeModules } from './paths.mjs';

const name = 'htmx.org';
const files = ['dist/htmx.min.js', 'dist/ext/hx-sse.min.js', 'LICENSE'];

/**
 * Copies the files of htmx that the console serves into the build. Users would install all of the package, of
 * which they need two files.
 *
 * @param {string} build the folder of the build
 */
export function copyHtmx(build) {
  const from = join(nodeModules, name);
  const to = join(build, 'node_modules', name);
  for (const file of files) {
    mkdirSync(dirname(join(to, file)), { recursive: true });
    copyFileSync(join(from, file), join(to, file));
  }
  const { version, license } = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8'));
  writeFileSync(join(to, 'package.json'), `${JSON.stringify({ name, version, license })}\n`);
}
