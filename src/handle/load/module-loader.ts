/** Imports handlers files. */
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ownExtension, ownFolder, ownModule } from '../../kernel/files/package-files.ts';

/** Imports a handlers file by its path and returns its exports. */
export type LoadModule = (file: string) => Promise<unknown>;

/**
 * Creates a loader for handlers files. Shipped files are modules of this package
 * and need no compiler. For any other file TypeScript is compiled in memory,
 * `portaria` resolves to this package, with or without a `node_modules`, and a
 * file that several files import is evaluated once.
 *
 * jiti compiles, and not Node.js: handlers may use `enum`, import without an
 * extension, and name a TypeScript file `.js`, which Node.js does not accept.
 */
export async function createModuleLoader(files: readonly string[]): Promise<LoadModule> {
  const shipped = ownFolder('handlers');
  if (files.every((file) => dirname(file) === shipped))
    return (file) => import(pathToFileURL(file).href) as Promise<unknown>;
  // jiti is slow to load, and a start with only the shipped handlers does not need it.
  const [{ createJiti }, entryPoints] = await Promise.all([import('jiti'), loadEntryPoints()]);
  const create = (tsconfigPaths: string | false) =>
    createJiti(import.meta.url, {
      fsCache: false,
      interopDefault: false,
      virtualModules: entryPoints,
      tsconfigPaths,
    });
  const tsconfig = tsconfigOf(files) ?? false;
  try {
    const jiti = create(tsconfig);
    return (file) => jiti.import(file);
  } catch (error) {
    // It may extend a package that is not installed here, and most files need none of its paths.
    const jiti = create(false);
    const reason = `${String(tsconfig)}, whose paths may name it, cannot be read: ${(error as Error).message}`;
    return (file) => jiti.import(file).catch((cause: unknown) => Promise.reject(withReason(cause, reason)));
  }
}

function withReason(error: unknown, reason: string): unknown {
  if (!(error instanceof Error) || !error.message.startsWith('Cannot find module')) return error;
  return new Error(`${error.message.split('\n')[0] ?? ''}; ${reason}`, { cause: error });
}

/** The tsconfig.json of the files or of a folder above: an editor resolves their imports by its `paths`. */
function tsconfigOf([file = '']: readonly string[]): string | undefined {
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder))
    if (existsSync(join(folder, 'tsconfig.json'))) return join(folder, 'tsconfig.json');
  return undefined;
}

/**
 * Loads this package's entry points by name: `portaria`, `portaria/testing`,
 * `portaria/transactions`, `portaria/client` and `portaria/handlers/<name>`. It uses their URLs, because a
 * module of `src` must not depend on an entry point.
 */
async function loadEntryPoints(): Promise<Readonly<Record<string, unknown>>> {
  const folder = ownFolder('handlers');
  const shipped = (await readdir(folder))
    .filter((file) => file.endsWith(ownExtension) && !/\.(d|test)\.ts$/.test(file))
    .map((file) => {
      const url = pathToFileURL(join(folder, file));
      return [`portaria/handlers/${basename(file, ownExtension)}`, url] as const;
    });
  const modules = [
    ['portaria', ownModule('src/index')],
    ['portaria/testing', ownModule('src/testing/index')],
    ['portaria/transactions', ownModule('src/transactions/index')],
    ...shipped,
  ] as const;
  const loaded = modules.map(async ([name, { href }]) => [name, (await import(href)) as unknown] as const);
  return Object.defineProperty(Object.fromEntries(await Promise.all(loaded)), 'portaria/client', {
    // The client takes longer to load than all others, and few handlers files import it.
    get: () => createRequire(import.meta.url)(fileURLToPath(ownModule('src/client/index'))) as unknown,
  });
}
