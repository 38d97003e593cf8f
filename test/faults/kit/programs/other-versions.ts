import { cpSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { migrations, newestLevel } from '../../../../src/store/postgres/database/tables/migrations.ts';

const root = fileURLToPath(new URL('../../../../', import.meta.url));

const programIn = (folder: string): string => join(folder, 'dist', 'src', 'cli', 'main.js');

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
