import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.ts';

/** In tests, the package's own names resolve to its sources. Elsewhere they resolve to `dist/`. */
const alias = [
  { find: /^portaria$/, replacement: here('./src/index.ts') },
  { find: /^portaria\/client$/, replacement: here('./src/client/index.ts') },
  { find: /^portaria\/testing$/, replacement: here('./src/testing/index.ts') },
  { find: /^portaria\/handlers\/(.*)$/, replacement: here('./handlers/$1.ts') },
];

/** Test files run in processes, so that a crash of the SQLite binding fails one file, not the run. */
const shared = {
  environment: 'node',
  pool: 'forks',
  // Commands print local time.
  env: { TZ: 'UTC' },
  setupFiles: here('./test/support/property-seed.ts'),
  // Stubs of globals do not reach the next file.
  unstubGlobals: true,
  unstubEnvs: true,
  provide: { eventuallyTimeoutMs: 20_000 },
} as const;

const faults = {
  ...shared,
  globalSetup: ['test/support/build.ts', 'test/postgres/prepare-postgres.ts'],
  testTimeout: 240_000,
  provide: { eventuallyTimeoutMs: 40_000 },
};

/** Mocks a module that other files load too, so it runs in a process of its own. */
const mocking = 'test/ops/loading.test.ts';

/** Tests that measure the longest wait of many clients of a busy process. */
const measured = ['hostile-clients', 'one-busy-subject', 'reads'].map(
  (name) => `test/faults/${name}.test.ts`,
);

export default defineConfig({
  test: {
    // Many tests wait for timers, disks and processes: one worker more than there are processors keeps all busy.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        resolve: { alias },
        test: {
          ...shared,
          name: 'unit',
          include: ['src/**/*.test.ts', 'handlers/**/*.test.ts', 'provider/**/*.test.ts'],
          exclude: ['provider/test/**'],
          // Units keep no state between files, and loading modules for each file takes longer than the tests.
          isolate: false,
        },
      },
      {
        resolve: { alias },
        test: {
          ...shared,
          name: 'integration',
          include: ['test/**/*.test.ts', 'provider/test/**/*.test.ts'],
          exclude: [
            'test/browser/**',
            'test/end-to-end/**',
            'test/postgres/**',
            'test/examples/**',
            'test/faults/**',
            mocking,
          ],
          testTimeout: 30_000,
          // As for units. Loading modules for each file would take a minute.
          isolate: false,
        },
      },
      {
        resolve: { alias },
        test: { ...shared, name: 'integration-alone', include: [mocking] },
      },
      {
        resolve: { alias },
        test: {
          ...shared,
          name: 'postgres',
          include: ['test/postgres/**/*.test.ts'],
          globalSetup: ['test/postgres/start-postgres.ts'],
          setupFiles: [shared.setupFiles, here('./test/postgres/skip-without-postgres.ts')],
          testTimeout: 30_000,
          isolate: false,
        },
      },
      {
        test: {
          ...shared,
          name: 'end-to-end',
          include: ['test/end-to-end/**/*.test.ts', 'test/examples/**/*.test.ts'],
          // These tests run the built program.
          globalSetup: ['test/support/build.ts'],
          testTimeout: 60_000,
        },
      },
      {
        // Skipped, with a reason, on a machine without chromium.
        test: {
          ...shared,
          name: 'browser',
          include: ['test/browser/**/*.test.ts'],
          globalSetup: ['test/support/build.ts'],
          testTimeout: 120_000,
          hookTimeout: 60_000,
        },
      },
      {
        // `npm run test:faults`. It takes minutes, so `npm test` leaves it out.
        resolve: { alias },
        test: {
          ...faults,
          name: 'faults',
          include: ['test/faults/**/*.test.ts'],
          exclude: measured,
          sequence: { groupOrder: 1 },
        },
      },
      {
        resolve: { alias },
        test: {
          ...faults,
          name: 'faults-measured',
          include: measured,
          // One at a time, after all others.
          fileParallelism: false,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});

function here(path: string): string {
  return join(import.meta.dirname, path);
}
