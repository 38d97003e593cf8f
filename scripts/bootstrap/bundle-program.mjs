/** Bundles the program. */
import { join } from 'node:path';
import { documentLicences } from './document-licences.mjs';
import { root } from './paths.mjs';

/**
 * Libraries that are bundled, without unused code. All others are loaded from where
 * npm installed them: better-sqlite3 finds its binary relative to itself, and rarely
 * loaded ones do not slow the start.
 */
export const bundledLibraries = [
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
  '@dagrejs/dagre',
];

/**
 * Writes the program's JavaScript with source maps. Each file adds about half a
 * millisecond to a start, so the bundler makes one file, in `chunks`, of the modules
 * that are always loaded together. Each module is in exactly one file, so that a
 * class exists once.
 *
 * @param {string} build the folder to write to
 * @param {readonly string[]} entries the modules that keep their path
 */
export async function bundleProgram(build, entries) {
  // The bootstrap loads this file before it installs rolldown.
  const { rolldown } = await import('rolldown');
  const bundle = await rolldown({
    cwd: root,
    input: Object.fromEntries(entries.map((path) => [path.replace(/[.]ts$/, ''), path])),
    platform: 'node',
    tsconfig: false,
    transform: { jsx: { runtime: 'automatic', importSource: 'hono/jsx' } },
    resolve: { alias: { portaria: join(root, 'src', 'index.ts') } },
    external: (id, importer) => isPackage(id) && !isBundled(id) && !importer?.includes('node_modules'),
    plugins: [onlyEnglish, noOpenTelemetry],
    logLevel: 'warn',
  });
  try {
    const { output } = await bundle.write({
      dir: build,
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: 'chunks/[name].js',
      minifyInternalExports: false,
      // The declarations have the documentation. What only runs needs none.
      comments: { legal: true, annotation: true, jsdoc: false },
      // What both stores share is one file, and so are the small functions that every part uses: by default, what
      // some parts use alone is another. An older Node.js loads node-version.ts, which stays alone.
      codeSplitting: {
        groups: [
          { name: 'store-shared', test: /src[\\/]store[\\/]shared[\\/]/u },
          { name: 'handle', test: /src[\\/]handle[\\/]define[\\/]/u },
          { name: 'reconcile', test: /src[\\/](?:reconcile|confirm)[\\/]/u },
          { name: 'kernel', test: /src[\\/]kernel[\\/](?:(?:time|text)[\\/])?(?!node-version)[a-z-]+\.ts$/u },
        ],
      },
      sourcemap: true,
      sourcemapExcludeSources: true,
    });
    const modules = output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []));
    documentLicences(modules, join(build, 'licences'));
  } finally {
    await bundle.close();
  }
}

/** @param {string} id */
const isPackage = (id) => !/^[./\0]|^portaria$|^[A-Z]:/.test(id);

/** @param {string} id */
const isBundled = (id) => bundledLibraries.some((name) => id === name || id.startsWith(`${name}/`));

/** Drops zod's messages in other languages, which a library that re-exports all of zod would keep. */
const onlyEnglish = {
  name: 'only-english',
  /** @param {string} id */
  load: (id) =>
    /[\\/]zod[\\/]v4[\\/]locales[\\/]index[.]js$/.test(id)
      ? "export { default as en } from './en.js';"
      : null,
};

/**
 * Leaves out the API of OpenTelemetry, of which prom-client reads spans for exemplars that Portaria does not use: a copy
 * in the bundle would be another one than the application's.
 */
const noOpenTelemetry = {
  name: 'no-opentelemetry',
  /** @param {string} id */
  resolveId: (id) => (id === '@opentelemetry/api' ? '\0no-opentelemetry' : null),
  /** @param {string} id */
  load: (id) => (id === '\0no-opentelemetry' ? '' : null),
};
