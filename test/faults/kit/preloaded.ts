import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Workshop } from '../../support/workshop.ts';

/** Settings for a process that runs a module of this source before its own. */
export function preloaded(place: Workshop, name: string, source: string): Readonly<Record<string, string>> {
  const hook = join(place.folder, `${name}.mjs`);
  writeFileSync(hook, source);
  return { NODE_OPTIONS: `--import=${pathToFileURL(hook).href}` };
}
