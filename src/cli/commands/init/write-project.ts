/** Writes the files of a new project. */
import { lstatSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { PortariaError } from '../../../kernel/errors.ts';
import { packageRoot, packageVersion } from '../../../kernel/files/package-files.ts';
import { ownDependency } from './own-dependency.ts';
import { projectFiles, type ProjectFacts } from './project-files.ts';

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
export function writeProject(folder: string): WrittenProject {
  const written: string[] = [];
  const kept: string[] = [];
  try {
    mkdirSync(folder, { recursive: true });
    const real = realpathSync(folder);
    const portaria = ownDependency(real, { root: packageRoot(), version: packageVersion() });
    const facts = { name: packageName(basename(real)), portaria };
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
    const parent = dirname(path);
    const above = parent === '.' ? undefined : lstatSync(join(folder, parent), { throwIfNoEntry: false });
    if (above?.isSymbolicLink())
      reject(parent, 'is a link, and a project is not written through it; remove it');
    if (above !== undefined && !above.isDirectory()) reject(parent, 'is not a folder; rename it');
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
