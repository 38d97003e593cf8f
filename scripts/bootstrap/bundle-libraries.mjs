import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nodeModules } from './paths.mjs';

/**
 * Libraries that consist of hundreds of small files, each of which costs every
 * start about half a millisecond, and that nothing but our own code imports: a
 * second copy beside another library's would be another library to that one.
 */
const libraries = ['kysely'];

/**
 * Writes each as one file into the build's own node_modules, where what is built
 * finds it before the one that npm installed, whose types stay the ones in use.
 *
 * @param {string} build the folder of what has been compiled
 */
export async function bundleLibraries(build) {
  // Not installed yet when this file is loaded.
  const { rolldown } = await import('rolldown');
  for (const name of libraries) {
    const folder = join(build, 'node_modules', name);
    mkdirSync(folder, { recursive: true });
    const bundle = await rolldown({ input: name, platform: 'node', logLevel: 'warn' });
    await bundle.write({ file: join(folder, 'index.js'), format: 'esm' });
    await bundle.close();
    writeFileSync(
      join(folder, 'package.json'),
      `${JSON.stringify({ name, type: 'module', exports: './index.js' })}\n`,
    );
    copyFileSync(join(nodeModules, name, 'LICENSE'), join(folder, 'LICENSE'));
  }
}
