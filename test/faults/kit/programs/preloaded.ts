import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Workspace } from '../../../support/workspace.ts';

/** Settings for a process that runs a module with this source before the program. */
export function preloaded(
  workspace: Workspace,
  name: string,
  source: string,
): Readonly<Record<string, string>> {
  const hook = join(workspace.folder, `${name}.mjs`);
  writeFileSync(hook, source);
  return { NODE_OPTIONS: `--import=${pathToFileURL(hook).href}` };
}
