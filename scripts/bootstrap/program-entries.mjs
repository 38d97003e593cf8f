/** The modules from which the bundler and knip begin. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './paths.mjs';

/**
 * The modules that keep their path and exports in the build, because package.json,
 * threads or tests refer to them by path. The bundler places all others.
 */
export function programEntries() {
  return [
    // package.json refers to these.
    'src/cli/main.ts',
    'src/index.ts',
    'src/client/index.ts',
    'src/testing/index.ts',
    'src/transactions/index.ts',
    ...readdirSync(join(root, 'handlers'))
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
      .map((file) => `handlers/${file}`),
    // These run as threads.
    'src/store/sqlite/commit/thread/writer-thread.ts',
    'src/store/sqlite/read/reader-thread.ts',
    'src/serving/watchdog/watchdog-thread.ts',
    // These run as processes.
    'src/privacy/files/search-process.ts',
    'src/store/sqlite/copies/backup-process.ts',
    'src/cli/commands/rehearse/rehearse-process.ts',
    // Tests and benchmarks of the build refer to these, which no entry point exports.
    'src/store/sqlite/open-sqlite-store.ts',
    'src/store/sqlite/commit/thread/writer-client.ts',
  ];
}

/** The same of the package of the provider. Its thread finds itself below the package's `dist`. */
export const providerEntries = () => ['provider/index.ts', 'provider/companies/certificate-thread.ts'];
