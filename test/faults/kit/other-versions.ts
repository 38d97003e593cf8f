import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { migrations, newestLevel } from '../../../src/store/postgres/database/tables/migrations.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/**
 * What processes of all versions agree on: the tables that the first version has made, and the numbers of locks. Later
 * versions add migrations in files of their own.
 */
const agreed = [
  'src/store/postgres/database/tables/first-tables.ts',
  'src/store/postgres/database/tables/operator-tables.ts',
  'src/store/postgres/sql/advisory-locks.ts',
];

/** A line that changes a table. A further lock has a number of its own. */
const CODE = '^(create|alter|  [a-z])';

/** What a build needs. */
const needed = ['src', 'handlers', 'provider', 'scripts', 'bench/servers', 'fixtures', 'package.json'];

const programIn = (folder: string): string => join(folder, 'dist', 'src', 'cli', 'main.js');

/**
 * Builds the oldest version whose processes may run beside the present one: that of the last commit that has changed
 * what all versions agree on.
 *
 * @returns its program; undefined without the whole history, or while what they agree on has uncommitted changes
 */
export function buildEarlierVersion(folder: string): string | undefined {
  // A clone of one commit has its only commit change everything.
  if (git('rev-parse', '--is-shallow-repository').trim() !== 'false') return undefined;
  const commit = git('log', '-1', '--format=%H', `-G${CODE}`, '--', ...agreed).trim();
  if (commit === '' || git('status', '--porcelain', '--', ...agreed) !== '') return undefined;
  mkdirSync(folder);
  const archive = join(folder, 'sources.tar');
  execFileSync('git', ['archive', '-o', archive, commit, '--', ...needed], { cwd: root });
  execFileSync('tar', ['-xf', archive], { cwd: folder });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const build =
    "const { bundleProgram } = await import('./scripts/bootstrap/bundle-program.mjs'); await bundleProgram('dist')";
  execFileSync(process.execPath, ['--input-type=module', '-e', build], { cwd: folder, stdio: 'pipe' });
  return programIn(folder);
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
