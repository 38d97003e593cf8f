import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from './bootstrap/paths.mjs';

/**
 * Runs a check on a small project that contains known violations, under this
 * project's settings. A check that misses them would also pass on this project.
 * The fixture lies inside this project, so that packages resolve the same way.
 *
 * @template T
 * @param {{ settings: readonly string[], files: Readonly<Record<string, string>> }} project
 * @param {(folder: string) => T} check
 * @returns {T}
 */
export function inViolationFixture({ settings, files }, check) {
  const folder = mkdtempSync(join(root, '.violations-'));
  try {
    // A repository of its own: otherwise the tools would apply this project's .gitignore, which lists the folder.
    mkdirSync(join(folder, '.git'));
    for (const file of ['package.json', 'tsconfig.json', ...settings]) {
      cpSync(join(root, file), join(folder, file));
    }
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    return check(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
