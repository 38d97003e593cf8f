/** Finds what a person types to run this program. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Environment } from '../config/read-settings.ts';

/**
 * How a person types this program in a shell: `portaria` if it is on the path, as in the container, else
 * `npx portaria`. The folders that npm adds to the path of its scripts do not count: the shell does not have them.
 */
export function commandName(env: Environment): string {
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'));
  return folders.some((folder) => folder !== '' && isExecutable(join(folder, 'portaria')))
    ? 'portaria'
    : 'npx portaria';
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
