import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ownExtension, ownFolder, ownModule } from '../../kernel/files/package-files.ts';

/** Whether the file is a shipped handler, which finds `portaria` as any module of this package does. */
export function isShipped(file: string): boolean {
  return dirname(file) === ownFolder('handlers');
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
  const folder = ownFolder('handlers');
  const shipped = (await readdir(folder))
    .filter((file) => file.endsWith(ownExtension) && !/\.(d|test)\.ts$/.test(file))
    .map((file) => {
      const address = pathToFileURL(join(folder, file));
      return [`portaria/handlers/${basename(file, ownExtension)}`, address] as const;
    });
  const modules = [
    ['portaria', ownModule('src/index')],
    ['portaria/testing', ownModule('src/testing/index')],
    ...(wanted.client ? [['portaria/client', ownModule('src/client/index')] as const] : []),
    ...shipped,
  ] as const;
  return Object.fromEntries(
    await Promise.all(
      modules.map(async ([name, { href }]) => [name, (await import(href)) as unknown] as const),
    ),
  );
}

/** Loads a module of this package by its path, without a compiler. */
export async function loadOwn(file: string): Promise<unknown> {
  return import(pathToFileURL(file).href) as Promise<unknown>;
}
