import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from './bootstrap/paths.mjs';

/**
 * Gives a tool a small project with violations planted in it, under this
 * project's own settings: a check that finds nothing there checks nothing here.
 * Inside this one, so that packages resolve as they do for the sources.
 *
 * @template T
 * @param {{ settings: readonly string[], files: Readonly<Record<string, string>> }} project
 * @param {(folder: string) => T} work
 * @returns {T}
 */
export function inPlantedProject({ settings, files }, work) {
  const folder = mkdtempSync(join(root, '.planted-'));
  try {
    // Else the tools would heed this project's .gitignore, which names the folder.
    mkdirSync(join(folder, '.git'));
    for (const file of ['package.json', 'tsconfig.json', ...settings]) {
      cpSync(join(root, file), join(folder, file));
    }
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    return work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
