/** Decides how a new project names this package in its package.json. */
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';

/**
 * Returns how a project in a folder depends on the package that runs, as npm writes it:
 *
 * - from a registry: its version, `^0.1.0`;
 * - from a tarball, or another place that npm has recorded: that place;
 * - from a clone, or installed by anything that leaves no record: `file:` and the folder, which npm links.
 *
 * @param root the folder of this package
 */
export function ownDependency(folder: string, { root, version }: { root: string; version: string }): string {
  const real = realpathSync(root);
  const installed = basename(dirname(real)) === 'node_modules' ? recordOf(real) : undefined;
  if (installed === undefined) return fileSpec(folder, real);
  const { resolved } = installed;
  if (resolved === undefined || isRegistry(resolved)) return `^${version}`;
  if (!resolved.startsWith('file:')) return resolved;
  const place = resolve(dirname(dirname(real)), resolved.slice('file:'.length));
  return fileSpec(folder, existsSync(place) ? place : real);
}

/** What npm has recorded about this package in `node_modules/.package-lock.json`. */
function recordOf(root: string): { readonly resolved?: string } | undefined {
  const file = join(dirname(root), '.package-lock.json');
  if (!existsSync(file)) return undefined;
  const { packages } = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly packages?: Readonly<Record<string, { readonly resolved?: string }>>;
  };
  return packages?.[`node_modules/${basename(root)}`];
}

/** A tarball of a registry is at `<registry>/<package>/-/<file>`. */
function isRegistry(resolved: string): boolean {
  return /^https?:.*\/-\/[^/]+[.]tgz$/.test(resolved);
}

function fileSpec(folder: string, place: string): string {
  return `file:${relative(folder, place).split(sep).join('/')}`;
}
