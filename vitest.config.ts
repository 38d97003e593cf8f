import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.ts';
import { roomInMemory } from './test/support/room-in-memory.ts';

/** In tests, the package's own names resolve to its sources. Elsewhere they resolve to `dist/`. */
const alias = [
  { find: /^portaria$/, replacement: here('./src/index.ts') },
  { find: /^portaria\/client$/, replacement: here('./src/client/index.ts') },
  { find: /^portaria\/testing$/, replacement: here('./src/testing/index.ts') },
  { find: /^portaria\/transactions$/, replacement: here('./src/transactions/index.ts') },
  { find: /^portaria\/handlers\/(.*)$/, replacement: here('./handlers/$1.ts') },
  { find: '@portaria/provider', replacement: here('./provider/index.ts') },
];

/** Where most tests write. Tests of the built program and of faults write to the disk. */
const inMemory = { TMPDIR: roomInMemory() ?? tmpdir() };

/** Programs that tests start share a compile cache, which saves a tenth of the processor time. */
const compiledOnce = { NODE_COMPILE_CACHE: here('./node_modules/.cache/compiled') };

/** Test files run in processes, so that a crash of the SQLite binding fails one file, not the run. */
const shared = {
  environment: 'node',
  pool: 'forks',
  // What a test allocates is short-lived: with room for it, the collector of garbage takes a seventh less of all time.
  execArgv: ['--max-semi-space-size=64'] as string[],
  // Commands print local time.
  env: { TZ: 'UTC', ...compiledOnce },
  setupFiles: here('./test/support/property-seed.ts'),
  // Stubs of globals do not reach the next file.
  unstubGlobals: true,
  unstubEnvs: true,
  // These end a test that hangs. No test measures time against them: a busy machine may take ten times as long.
  testTimeout: 240_000,
  hookTimeout: 240_000,
  expect: { poll: { timeout: 200_000 } },
  provide: { eventuallyTimeoutMs: 200_000, measures: false },
} as const;

const faults = {
  ...shared,
  // A slow machine that runs other tests beside them takes minutes for one.
  testTimeout: 900_000,
  hookTimeout: 900_000,
  globalSetup: ['test/support/build.ts', 'test/postgres/kit/prepare-postgres.ts'],
  provide: { eventuallyTimeoutMs: 300_000, measures: false },
};

/** Mock a module that other files load too, so they run in processes of their own. */
const mocking = ['test/ops/loading.test.ts', 'src/store/sqlite/query-plans.test.ts'];

/**
 * Tests that are decided by order and state, and print how long something took. `npm run test:measured` runs them
 * again, one at a time, and checks their limits, too.
 */
const withLimits = [
  ...['postgres/failover', 'postgres/load-balancer', 'postgres/cut-connections', 'hostile/clients'],
  ...['long-outage', 'one-busy-subject', 'many-subjects', 'non-reading-senders', 'sigterm'],
]
  .map((name) => `test/faults/${name}.test.ts`)
  .concat('test/browser/live.test.ts');

export default defineConfig({
  test: {
    // Many tests wait for timers, disks and processes: one worker more than there are processors keeps all busy.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: LongestFirst },
    // Projects and runs share what they have transformed: a file is transformed again when it or a setting changes.
    fsModuleCache: true,
    fsModuleCachePath: here('./node_modules/.cache/transformed'),
    projects: [
      {
        resolve: { alias },
        test: {
          ...shared,
          name: 'unit',
          env: { ...shared.env, ...inMemory },
          include: ['src/**/*.test.ts', 'handlers/**/*.test.ts', 'provider/**/*.test.ts'],
          exclude: ['provider/test/**', ...mocking],
          // Units keep no state between files, and loading modules for each file takes longer than the tests.
          isolate: false,
        },
      },
      {
        resolve: { alias },
        test: {
          ...shared,
          name: 'integration',
          env: { ...shared.env, ...inMemory },
          include: ['test/**/*.test.ts', 'provider/test/**/*.test.ts'],
          exclude: [
            'test/browser/**',
            'test/end-to-end/**',
            'test/postgres/**',
            'test/simulation/postgres/**',
            'test/examples/**',
            'test/faults/**',
            'test/measured/**',
            ...mocking,
          ],
          // Some tests compile against the types of the build.
          globalSetup: ['test/support/build.ts'],
          // As for units. Loading modules for each file would take a minute.
          isolate: false,
        },
      },
      {
        resolve: { alias },
        test: { ...shared, name: 'integration-alone', include: mocking },
      },
      {
        resolve: { alias },
        test: {
          ...shared,
          name: 'postgres',
          include: ['test/postgres/**/*.test.ts', 'test/simulation/postgres/**/*.test.ts'],
          globalSetup: ['test/postgres/kit/start-postgres.ts'],
          setupFiles: [shared.setupFiles, here('./test/postgres/kit/skip-without-postgres.ts')],
          isolate: false,
        },
      },
      {
        test: {
          ...shared,
          name: 'end-to-end',
          include: ['test/end-to-end/**/*.test.ts', 'test/examples/**/*.test.ts'],
          // These tests run the built program.
          globalSetup: ['test/support/build.ts', 'test/examples/packed-folder.ts'],
          // The programs are processes of their own.
          isolate: false,
        },
      },
      {
        // Skipped, with a reason, on a machine without chromium.
        test: {
          ...shared,
          name: 'browser',
          include: ['test/browser/**/*.test.ts'],
          globalSetup: ['test/support/build.ts'],
        },
      },
      {
        // `npm run test:faults`. It takes minutes, so `npm test` leaves it out.
        resolve: { alias },
        test: {
          ...faults,
          name: 'faults',
          include: ['test/faults/**/*.test.ts'],
          // As for end-to-end: the programs are processes of their own.
          isolate: false,
        },
      },
      {
        // `npm run test:measured`, on a quiet machine.
        resolve: { alias },
        test: {
          ...faults,
          name: 'measured',
          include: ['test/measured/**/*.test.ts', ...withLimits],
          setupFiles: [shared.setupFiles, here('./test/measured/print-first-try.ts')],
          provide: { ...faults.provide, measures: true },
          fileParallelism: false,
          // A machine that stalls for a moment is measured once more.
          retry: 1,
        },
      },
    ],
  },
});

function here(path: string): string {
  return join(import.meta.dirname, path);
}
