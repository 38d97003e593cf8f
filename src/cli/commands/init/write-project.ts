/** Writes the files of a new project. */
import { lstatSync, mkdirSync, realpathSync, writeFileSync, existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { PortariaError } from '../../../kernel/errors.ts';
import { packageRoot, packageVersion } from '../../../kernel/files/package-files.ts';
import { projectFiles, type ProjectChoice, type ProjectFacts } from './project-files.ts';

export interface WrittenProject extends ProjectFacts {
  readonly folder: string;
  /** The files that were written, by their paths below the folder. */
  readonly written: readonly string[];
  /** The files that existed and were left as they are. */
  readonly kept: readonly string[];
}

/**
 * Writes a project into a folder, which it creates if needed. It never replaces a file.
 *
 * @param folder an absolute path
 * @throws PortariaError `invalid-argument` when the folder cannot be written
 */
export function writeProject(folder: string, choice: ProjectChoice): WrittenProject {
  const written: string[] = [];
  const kept: string[] = [];
  try {
    mkdirSync(folder, { recursive: true });
    const real = realpathSync(folder);
    const portaria = ownDependency(real, { root: packageRoot(), version: packageVersion() });
    const facts = { ...choice, name: packageName(basename(real)), portaria };
    const files = projectFiles(facts);
    requireRoom(
      folder,
      [...files].map(([path]) => path),
    );
    for (const [path, text] of files) (writeNew(join(folder, path), text) ? written : kept).push(path);
    return { folder, ...facts, written, kept };
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!(error instanceof Error) || code === '') throw error;
    const done = written.length === 0 ? '' : ` (written before: ${written.join(', ')})`;
    throw new PortariaError(
      'invalid-argument',
      `${folder} cannot hold a project: ${error.message}${done}; name a folder that this user can write`,
    );
  }
}

/**
 * A link may lead out of the project, and a folder in the place of a file cannot be kept.
 *
 * @throws PortariaError `invalid-argument` before anything is written
 */
function requireRoom(folder: string, paths: readonly string[]): void {
  const reject = (path: string, what: string): never => {
    throw new PortariaError('invalid-argument', `${join(folder, path)} ${what}`);
  };
  for (const path of paths) {
    for (let parent = dirname(path); parent !== '.'; parent = dirname(parent)) {
      const above = lstatSync(join(folder, parent), { throwIfNoEntry: false });
      if (above?.isSymbolicLink())
        reject(parent, 'is a link, and a project is not written through it; remove it');
      if (above !== undefined && !above.isDirectory()) reject(parent, 'is not a folder; rename it');
    }
    const there = lstatSync(join(folder, path), { throwIfNoEntry: false });
    if (there?.isDirectory()) reject(path, 'is a folder, and the project needs a file there; rename it');
  }
}

/** Returns false, and leaves everything as it is, when there is such a file, folder or link. */
function writeNew(file: string, text: string): boolean {
  mkdirSync(dirname(file), { recursive: true });
  try {
    // The settings may get secrets.
    writeFileSync(file, text, { flag: 'wx', mode: basename(file) === '.env' ? 0o600 : 0o644 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** npm rejects upper case and special characters, and a package that depends on one of its own name. */
function packageName(folder: string): string {
  const name = folder
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replaceAll(/^[^a-z0-9]+|-+$/g, '');
  return name === '' || name === 'portaria' ? 'portaria-handlers' : name;
}

/**
 * Returns how a project in a folder depends on the package that runs, as npm writes it:
 *
 * - from a registry: its version, `^1.0.0`;
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
  const path = resolve(dirname(dirname(real)), resolved.slice('file:'.length));
  return fileSpec(folder, existsSync(path) ? path : real);
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

function fileSpec(folder: string, path: string): string {
  return `file:${relative(folder, path).split(sep).join('/')}`;
}
