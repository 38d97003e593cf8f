import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nodeModules } from './paths.mjs';

const name = 'swagger-ui-dist';
const files = [
  'swagger-ui-bundle.js',
  'swagger-ui.css',
  'LICENSE',
  'NOTICE',
  // Of the libraries within the bundle, which refers to it.
  'swagger-ui-bundle.js.LICENSE.txt',
];

/**
 * Copies what the service's reference page shows itself with into the build's
 * own node_modules: a dependency would bring users the whole of it, and a
 * package that reports installations.
 *
 * @param {string} build the folder of what has been compiled
 */
export function copyReferencePage(build) {
  const from = join(nodeModules, name);
  const to = join(build, 'node_modules', name);
  mkdirSync(to, { recursive: true });
  for (const file of files) copyFileSync(join(from, file), join(to, file));
  const { version, license } = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8'));
  writeFileSync(join(to, 'package.json'), `${JSON.stringify({ name, version, license })}\n`);
}
