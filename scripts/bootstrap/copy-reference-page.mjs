import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nodeModules } from './paths.mjs';

const name = 'swagger-ui-dist';
const files = [
  'swagger-ui-bundle.js',
  'swagger-ui.css',
  'LICENSE',
  'NOTICE',
  // The licences of the libraries in the bundle, which refers to this file.
  'swagger-ui-bundle.js.LICENSE.txt',
];

/**
 * Copies the files of Swagger UI that the provider's reference page needs into the
 * build. As a dependency, users would install all of it, and a package that
 * reports installations.
 *
 * @param {string} build the folder of the build
 */
export function copyReferencePage(build) {
  const from = join(nodeModules, name);
  const to = join(build, 'node_modules', name);
  mkdirSync(to, { recursive: true });
  for (const file of files) copyFileSync(join(from, file), join(to, file));
  const { version, license } = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8'));
  writeFileSync(join(to, 'package.json'), `${JSON.stringify({ name, version, license })}\n`);
}
