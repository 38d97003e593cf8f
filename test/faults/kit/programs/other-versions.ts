import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { migrations, newestLevel } from '../../../../src/store/postgres/database/tables/migrations.ts';

const root = fileURLToPath(new URL('../../../../', import.meta.url));

/** The list of migrations has had several folders. */
const lists = ':(glob)src/store/postgres/**/migrations.ts';

/** What a build needs. */
const needed = ['src', 'handlers', 'provider', 'scripts', 'bench/servers', 'fixtures', 'package.json'];

const programIn = (folder: string): string => join(folder, 'dist', 'src', 'cli', 'main.js');

/** A version of history. */
export interface EarlierVersion {
  readonly commit: string;
  /** That of the tables that it makes. */
  readonly level: number;
  readonly program: string;
}

/**
 * Builds the last version whose tables are of this level at most.
 *
 * @returns undefined without the whole history
 * @throws Error if history has no such version
 */
export function buildEarlierVersion(atMost: number, folder: string): EarlierVersion | undefined {
  if (git('rev-parse', '--is-shallow-repository').trim() !== 'false') return undefined;
  mkdirSync(folder);
  const found = lastVersion(atMost, folder);
  const sources = join(folder, 'sources');
  unpack(found.commit, needed, sources);
  symlinkSync(join(root, 'node_modules'), join(sources, 'node_modules'));
  const build =
    "const { bundleProgram } = await import('./scripts/bootstrap/bundle-program.mjs'); await bundleProgram('dist')";
  execFileSync(process.execPath, ['--input-type=module', '-e', build], { cwd: sources, stdio: 'pipe' });
  return { ...found, program: programIn(sources) };
}

function lastVersion(atMost: number, folder: string): Omit<EarlierVersion, 'program'> {
  // Newest first. Before each of them, the list was that of the next one.
  const changes = git('log', '--first-parent', '--format=%H', '--', lists).split('\n').filter(Boolean);
  let last = 'HEAD';
  for (const commit of ['HEAD', ...changes]) {
    const level = levelAt(commit, join(folder, commit));
    if (level <= atMost) return { commit: git('rev-parse', last).trim(), level };
    last = `${commit}^1`;
  }
  throw new Error(`history has no version whose tables are of level ${String(atMost)} or less`);
}

/** Returns the newest level that the list of migrations of a commit has. */
function levelAt(commit: string, folder: string): number {
  unpack(commit, ['src/store/postgres'], folder);
  // The migrations of some commits import a package.
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const sources = join(folder, 'src');
  const list =
    readdirSync(sources, { recursive: true, encoding: 'utf8' }).find(
      (path) => basename(path) === 'migrations.ts',
    ) ?? 'missing';
  const print = `const { migrations } = await import(${JSON.stringify(join(sources, list))});
    console.log(Math.max(...migrations.map(({ level }) => level)));`;
  return Number(execFileSync(process.execPath, ['--input-type=module', '-e', print], { stdio: 'pipe' }));
}

function unpack(commit: string, paths: readonly string[], folder: string): void {
  mkdirSync(folder);
  const archive = join(folder, 'sources.tar');
  execFileSync('git', ['archive', '-o', archive, commit, '--', ...paths], { cwd: root });
  execFileSync('tar', ['-xf', archive], { cwd: folder });
}

/** Builds the next version: the present one with a further migration, which adds to the tables. Returns its program. */
export function buildNextVersion(folder: string): string {
  mkdirSync(folder);
  cpSync(join(root, 'dist'), join(folder, 'dist'), { recursive: true, verbatimSymlinks: true });
  cpSync(join(root, 'package.json'), join(folder, 'package.json'));
  for (const name of ['node_modules', 'fixtures']) symlinkSync(join(root, name), join(folder, name));
  const chunks = join(folder, 'dist', 'chunks');
  const list = /(const migrations = \[\s*\{[\s\S]*?\bworksWith\b[\s\S]*?\n\t?\})\s*\];/u;
  const file = readdirSync(chunks)
    .map((name) => join(chunks, name))
    .find((path) => path.endsWith('.js') && list.test(readFileSync(path, 'utf8')));
  if (file === undefined) throw new Error(`${chunks} has no list of migrations`);
  const present = readFileSync(file, 'utf8');
  const worksWith = String(migrations.at(-1)?.worksWith);
  const migration = `, {
  level: ${String(newestLevel + 1)}, name: "an addition", worksWith: ${worksWith},
  sql: "alter table deliveries add column note text default 'none'; create index deliveries_noted on deliveries (id) where note <> 'none'",
}];`;
  writeFileSync(
    file,
    present.replace(list, (_, migrations: string) => `${migrations}${migration}`),
  );
  return programIn(folder);
}

function git(...args: readonly string[]): string {
  try {
    return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: 'pipe' });
  } catch {
    return '';
  }
}
