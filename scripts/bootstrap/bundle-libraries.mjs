import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nodeModules } from './paths.mjs';

/**
 * Libraries that consist of many small files, each of which costs every start
 * about half a millisecond. What else imports one of them is written as one file
 * too and shares the copy: a second one would be another library to the first.
 *
 * @type {readonly { name: string, shares?: readonly (string | RegExp)[] }[]}
 */
const libraries = [
  { name: 'kysely' },
  { name: 'prom-client' },
  { name: 'zod' },
  { name: '@hono/zod-openapi', shares: ['zod', /^hono(\/|$)/] },
];

/**
 * Writes each as one file into the build's own node_modules, where what is built
 * finds it before the one that npm installed, whose types stay the ones in use.
 *
 * @param {string} build the folder of what has been compiled
 */
export async function bundleLibraries(build) {
  // Not installed yet when this file is loaded.
  const { rolldown } = await import('rolldown');
  for (const { name, shares = [] } of libraries) {
    const folder = join(build, 'node_modules', name);
    mkdirSync(folder, { recursive: true });
    const bundle = await rolldown({
      input: ENTRY,
      external: [...shares],
      platform: 'node',
      logLevel: 'warn',
      plugins: [await reexport(name)],
    });
    await bundle.write({ file: join(folder, 'index.js'), format: 'esm' });
    await bundle.close();
    const { version, license, repository } = JSON.parse(
      readFileSync(join(nodeModules, name, 'package.json'), 'utf8'),
    );
    writeFileSync(
      join(folder, 'package.json'),
      `${JSON.stringify({ name, version, license, repository, type: 'module', exports: './index.js' })}\n`,
    );
    const text = join(nodeModules, name, 'LICENSE');
    if (existsSync(text)) copyFileSync(text, join(folder, 'LICENSE'));
  }
}

const ENTRY = '\0entry';

/**
 * All that a library exports, by name: of one in CommonJS, nobody could tell by
 * looking at a single file.
 *
 * @param {string} name
 */
async function reexport(name) {
  // Newer versions of Node.js add one of a library in CommonJS that is no name.
  const names = Object.keys(await import(name)).filter((key) => /^[\w$]+$/.test(key));
  return {
    name: 'entry',
    /** @param {string} id */
    resolveId: (id) => (id === ENTRY ? id : null),
    /** @param {string} id */
    load: (id) => (id === ENTRY ? `export { ${names.join(', ')} } from ${JSON.stringify(name)};` : null),
  };
}
