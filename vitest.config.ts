import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.ts';

/** The package's own names mean its sources here; outside tests they mean `dist/`. */
const alias = [
  { find: /^portaria$/, replacement: here('./src/index.ts') },
  { find: /^portaria\/client$/, replacement: here('./src/client/index.ts') },
  { find: /^portaria\/testing$/, replacement: here('./src/testing/index.ts') },
  { find: /^portaria\/handlers\/(.*)$/, replacement: here('./handlers/$1.ts') },
];

/** Processes, not threads: a crash of the native SQLite binding then fails one of them, not the run. */
const shared = {
  environment: 'node',
  pool: 'forks',
  setupFiles: here('./test/support/property-seed.ts'),
  // What one file puts in place of a global is not there for the next.
  unstubGlobals: true,
  unstubEnvs: true,
  provide: { patienceMs: 20_000 },
} as const;

const faults = {
  ...shared,
  globalSetup: ['test/support/build.ts'],
  testTimeout: 240_000,
  provide: { patienceMs: 40_000 },
};

/** Replaces a module that other files have loaded, or will. */
const replacing = 'test/ops/loading.test.ts';

/** Those that look at how long the longest of many others waits, while one process does all it can. */
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
          // What these test keeps nothing for the next file, and to load it anew for each takes longer than they do.
          isolate: false,
        },
      },
      {
        resolve: { alias },
        test: {
          ...shared,
          name: 'integration',
          include: ['test/**/*.test.ts', 'provider/test/**/*.test.ts'],
          exclude: ['test/end-to-end/**', 'test/examples/**', 'test/faults/**', replacing],
          testTimeout: 30_000,
          // As for units: what these share is what they load, and to load it takes a minute of theirs.
          isolate: false,
        },
      },
      {
        resolve: { alias },
        test: { ...shared, name: 'integration-alone', include: [replacing] },
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
        // `npm run test:faults`: takes minutes, so `npm test` leaves it out.
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
          // One at a time, and when the others are through.
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
