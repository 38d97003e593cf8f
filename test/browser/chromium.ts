import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

const names = ['chromium', 'chromium-browser', 'google-chrome'];

/** Returns the browser of this machine; undefined without one. */
export function chromiumPath(): string {
  const found = find();
  if (found === undefined) throw new Error('there is no chromium on PATH');
  return found;
}

/**
 * Whether tests in a browser must be skipped, because the machine has none. With PORTARIA_FORBID_SKIPS=1 that is
 * an error instead.
 */
export function needsChromium(): boolean {
  if (find() !== undefined) return false;
  if (process.env['PORTARIA_FORBID_SKIPS'] === '1')
    throw new Error('skips are forbidden: there is no chromium on PATH (apt-get install chromium)');
  process.stdout.write('skipped: there is no chromium on PATH (apt-get install chromium)\n');
  return true;
}

function find(): string | undefined {
  return (process.env['PATH'] ?? '')
    .split(delimiter)
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}
