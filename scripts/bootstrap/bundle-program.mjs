import { join, relative } from 'node:path';
import { documentLibrary } from './document-library.mjs';
import { root } from './paths.mjs';
import { programEntries } from './program-entries.mjs';

/**
 * Libraries that are bundled, each into one file below `dist/node_modules`, without
 * unused code. All others are loaded from where npm installed them: better-sqlite3
 * finds its binary relative to itself, and rarely loaded ones do not slow the start.
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

/** Every module uses a part of the kernel. It is small, so it becomes one file. */
const BASE = {
  name: 'kernel',
  /** @param {string} id */
  test: (id) => /^src[\\/](event|kernel)[\\/](?!.*(exclusive-lock|suggest))/.test(relative(root, id)),
  priority: LIBRARIES.length + 1,
};

/**
 * Writes the program's JavaScript with source maps. Each file adds about half a
 * millisecond to a start, so modules that are always loaded together become one
 * file, named after the last of them. Each module is in exactly one file, so that
 * a class exists once.
 *
 * @param {string} build the folder to write to
 */
export async function bundleProgram(build) {
  // The bootstrap loads this file before it installs rolldown.
  const { rolldown } = await import('rolldown');
  const bundle = await rolldown({
    cwd: root,
    input: Object.fromEntries(programEntries().map((path) => [path.replace(/[.]ts$/, ''), path])),
    platform: 'node',
    tsconfig: false,
    transform: { jsx: { runtime: 'automatic', importSource: 'hono/jsx' } },
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
            // A module that two libraries share belongs to the first.
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
 * The path of a chunk that is neither an entry nor a library: that of its last module.
 *
 * @param {string | undefined} module
 */
function placeOf(module) {
  // The bundler's own runtime has no source file.
  if (module === undefined || !module.startsWith(root)) return 'src/[name].js';
  return relative(root, module)
    .replaceAll('\\', '/')
    .replace(/[.]tsx?$/, '.js');
}

/** Drops zod's messages in other languages, which a library that re-exports all of zod would keep. */
const onlyEnglish = {
  name: 'only-english',
  /** @param {string} id */
  load: (id) =>
    /[\\/]zod[\\/]v4[\\/]locales[\\/]index[.]js$/.test(id)
      ? "export { default as en } from './en.js';"
      : null,
};
