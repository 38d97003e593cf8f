import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** A source file loads sources and a compiled one loads compiled files, which lie the same way. */
const extension = import.meta.url.endsWith('.ts') ? '.ts' : '.js';
const handlersFolder = new URL('../../handlers/', import.meta.url);

/** What handlers files import from this package, loaded once. */
export interface OwnModules {
  /** By name: `portaria`, `portaria/testing`, `portaria/handlers/<name>`. */
  readonly byName: Readonly<Record<string, unknown>>;
  /** The shipped handlers, by the path of their file. */
  readonly byPath: ReadonlyMap<string, unknown>;
}

/**
 * Loads the package's entry points, to be handed to handlers files: they then
 * share our own copy, wherever on the disk they lie, with or without a
 * `node_modules`. Imported by address, since nothing in `src` may depend on
 * the entry points, which depend on it.
 */
export async function loadOwnModules(): Promise<OwnModules> {
  const names = (await readdir(handlersFolder))
    .filter((file) => file.endsWith(extension) && !/\.(d|test)\.ts$/.test(file) && !file.endsWith('.test.js'))
    .map((file) => file.slice(0, -extension.length));
  const shipped = await Promise.all(
    names.map(async (name) => {
      const url = new URL(name + extension, handlersFolder);
      return { name, path: fileURLToPath(url), module: await load(url) };
    }),
  );
  return {
    byName: {
      portaria: await load(new URL(`../index${extension}`, import.meta.url)),
      'portaria/testing': await load(new URL(`../testing/index${extension}`, import.meta.url)),
      ...Object.fromEntries(shipped.map(({ name, module }) => [`portaria/handlers/${name}`, module])),
    },
    byPath: new Map(shipped.map(({ path, module }) => [path, module])),
  };
}

async function load(url: URL): Promise<unknown> {
  return import(url.href) as Promise<unknown>;
}
