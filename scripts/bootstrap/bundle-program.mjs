import { join, relative } from 'node:path';
import { documentLibrary } from './document-library.mjs';
import { root } from './paths.mjs';
import { programEntries } from './program-entries.mjs';

/**
 * Libraries that are written into what is built, each as one file below its
 * `node_modules`, with nothing in it that is not used. All others are loaded
 * from where npm installed them: better-sqlite3 looks for its binary by its own
 * place, and what a start does not load costs it nothing.
 */
const LIBRARIES = [
  'zod',
  'hono',
  'kysely',
  'prom-client',
  'commander',
  'pino',
  'p-queue',
  'standardwebhooks',
  '@hono/node-server',
  '@hono/zod-openapi',
];

/** What everything stands on, small and without libraries: one file, whoever needs a part of it. */
const BASE = {
  name: 'kernel',
  /** @param {string} id */
  test: (id) => /^src[\\/](event|kernel)[\\/](?!.*(exclusive-lock|suggest))/.test(relative(root, id)),
  priority: LIBRARIES.length + 1,
};

/**
 * Writes the program's JavaScript, with maps to the sources. Each file costs a
 * start about half a millisecond, so modules that are always loaded together are
 * one file, named after the last of them. A module is in one file only, whoever
 * imports it: a class exists once.
 *
 * @param {string} build the folder to write to
 */
export async function bundleProgram(build) {
  // Not installed yet when this file is loaded.
  const { rolldown } = await import('rolldown');
  const bundle = await rolldown({
    cwd: root,
    input: Object.fromEntries(programEntries().map((path) => [path.replace(/[.]ts$/, ''), path])),
    platform: 'node',
    tsconfig: false,
    resolve: { alias: { portaria: join(root, 'src', 'index.ts') } },
    external: (id, importer) => isPackage(id) && !isBundled(id) && !importer?.includes('node_modules'),
    plugins: [onlyEnglish],
    logLevel: 'warn',
  });
  try {
    const { output } = await bundle.write({
      dir: build,
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: ({ name, moduleIds }) => {
        if (name === BASE.name) return 'src/[name].js';
        return LIBRARIES.includes(name) ? `node_modules/${name}/index.js` : placeOf(moduleIds.at(-1));
      },
      minifyInternalExports: false,
      sourcemap: true,
      sourcemapExcludeSources: true,
      codeSplitting: {
        groups: [
          BASE,
          ...LIBRARIES.map((name, index) => ({
            name,
            test: new RegExp(`[\\\\/]node_modules[\\\\/]${name.replace('/', '[\\\\/]')}[\\\\/]`),
            // What two share belongs to the first.
            priority: LIBRARIES.length - index,
          })),
        ],
      },
    });
    for (const chunk of output) {
      if (chunk.type === 'chunk' && LIBRARIES.includes(chunk.name))
        documentLibrary(chunk.name, chunk.moduleIds, join(build, 'node_modules', chunk.name));
    }
  } finally {
    await bundle.close();
  }
}

/** @param {string} id */
const isPackage = (id) => !/^[./\0]|^portaria$|^[A-Z]:/.test(id);

/** @param {string} id */
const isBundled = (id) => LIBRARIES.some((name) => id === name || id.startsWith(`${name}/`));

/**
 * Where a chunk lies when nobody asks for a place: where its last module would.
 *
 * @param {string | undefined} module
 */
function placeOf(module) {
  // The bundler's own has no place.
  if (module === undefined || !module.startsWith(root)) return 'src/[name].js';
  return relative(root, module)
    .replaceAll('\\', '/')
    .replace(/[.]ts$/, '.js');
}

/** zod's messages in fifty languages, of which a library that hands on all of zod would keep each. */
const onlyEnglish = {
  name: 'only-english',
  /** @param {string} id */
  load: (id) =>
    /[\\/]zod[\\/]v4[\\/]locales[\\/]index[.]js$/.test(id)
      ? "export { default as en } from './en.js';"
      : null,
};
