import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './paths.mjs';

/**
 * The modules that somebody finds by their place, which what is built of them
 * keeps, with all that they export. What only other modules import is put
 * wherever it is needed.
 */
export function programEntries() {
  return [
    // By package.json.
    'src/cli/main.ts',
    'src/index.ts',
    'src/client/index.ts',
    'src/testing/index.ts',
    ...readdirSync(join(root, 'handlers'))
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
      .map((file) => `handlers/${file}`),
    // As threads.
    'src/store/sqlite/commit/thread/writer-thread.ts',
    'src/store/sqlite/read/reader-thread.ts',
    'provider/companies/certificate-thread.ts',
    // By tests of what is built, and by benchmarks: parts that no entry point shows.
    'src/store/sqlite/open-sqlite-store.ts',
    'src/store/sqlite/commit/thread/thread-writer.ts',
    'provider/index.ts',
  ];
}
