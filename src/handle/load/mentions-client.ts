import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Whether a source in the folder, or below it, names `portaria/client`. What is installed there is not looked at. */
export async function mentionsClient(folder: string): Promise<boolean> {
  const entries = await readdir(folder, { withFileTypes: true });
  for (const entry of entries) {
    const place = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (entry.name !== 'node_modules' && (await mentionsClient(place))) return true;
    } else if (/\.[cm]?[jt]s$/.test(entry.name)) {
      // What cannot be read is told of when it is loaded.
      const text = await readFile(place, 'utf8').catch(() => '');
      if (text.includes('portaria/client')) return true;
    }
  }
  return false;
}
