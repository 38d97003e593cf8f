import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** A source file loads sources and a compiled one loads compiled files, which lie the same way. */
const here = fileURLToPath(import.meta.url);
const extension = here.endsWith('.ts') ? '.ts' : '.js';
const sources = join(dirname(here), '..');
const handlersFolder = join(sources, '..', 'handlers');

/** Whether the file is a shipped handler, which finds `portaria` as any module of this package does. */
export function isShipped(file: string): boolean {
  return dirname(file) === handlersFolder;
}

/**
 * The package's entry points by name (`portaria`, `portaria/testing`,
 * `portaria/handlers/<name>` and, where it is `wanted`, `portaria/client`), to
 * be handed to handlers files: they then share our own copy, wherever on the
 * disk they lie, with or without a `node_modules`. Imported by address, since
 * nothing in `src` may depend on the entry points, which depend on it.
 */
export async function loadEntryPoints(wanted: {
  readonly client: boolean;
}): Promise<Readonly<Record<string, unknown>>> {
  const shipped = (await readdir(handlersFolder))
    .filter((file) => file.endsWith(extension) && !/\.(d|test)\.ts$/.test(file) && !file.endsWith('.test.js'))
    .map((file) => [`portaria/handlers/${basename(file, extension)}`, join(handlersFolder, file)] as const);
  const files = [
    ['portaria', join(sources, `index${extension}`)],
    ['portaria/testing', join(sources, 'testing', `index${extension}`)],
    ...(wanted.client ? [['portaria/client', join(sources, 'client', `index${extension}`)] as const] : []),
    ...shipped,
  ] as const;
  return Object.fromEntries(
    await Promise.all(files.map(async ([name, file]) => [name, await loadOwn(file)] as const)),
  );
}

/** Loads a module of this package by its path, without a compiler. */
export async function loadOwn(file: string): Promise<unknown> {
  return import(pathToFileURL(file).href) as Promise<unknown>;
}
