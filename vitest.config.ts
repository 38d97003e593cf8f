import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

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
} as const;

const faults = {
  ...shared,
  globalSetup: ['test/support/build.ts'],
  testTimeout: 240_000,
};

/** Tests of faults that look at how quick and how large a process is. */
const measured = ['clock-jumps', 'deadly-handlers', 'hostile-*', 'many-subjects', 'one-busy-subject'].map(
  (name) => `test/faults/${name}.test.ts`,
);

export default defineConfig({
  test: {
    // The default leaves a processor idle; on two, that is half of the machine.
    maxWorkers: '100%',
    projects: [
      {
        resolve: { alias },
        test: {
          ...shared,
          name: 'unit',
          include: ['src/**/*.test.ts', 'handlers/**/*.test.ts'],
          // What these test keeps nothing for the next file, and to load it anew for each takes longer than they do.
          isolate: false,
        },
      },
      {
        resolve: { alias },
        test: {
          ...shared,
          name: 'integration',
          include: ['test/**/*.test.ts'],
          exclude: ['test/end-to-end/**', 'test/faults/**'],
          testTimeout: 30_000,
        },
      },
      {
        test: {
          ...shared,
          name: 'end-to-end',
          include: ['test/end-to-end/**/*.test.ts'],
          // These run what is built, so it is built first.
          globalSetup: ['test/support/build.ts'],
          testTimeout: 60_000,
        },
      },
      {
        // `npm run test:faults`: takes minutes, so `npm test` leaves it out.
        resolve: { alias },
        test: { ...faults, name: 'faults', include: ['test/faults/**/*.test.ts'], exclude: measured },
      },
      {
        resolve: { alias },
        test: {
          ...faults,
          name: 'faults-measured',
          include: measured,
          // One at a time, and when the others are through: each loads the machine, and measures.
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});

function here(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url));
}
