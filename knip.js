/** What knip, which finds dead code, begins from. */
import { programEntries } from './scripts/bootstrap/program-entries.mjs';

/** @type {import('knip').KnipConfig} */
export default {
  // The entry points of package.json's exports and bin are known by themselves.
  workspaces: {
    '.': {
      entry: [
        'handlers/*.ts!',
        // What runs as a thread or a process.
        ...programEntries().flatMap((path) => (/-(thread|process)[.]ts$/.test(path) ? [`${path}!`] : [])),
        'scripts/*.mjs',
        'examples/*/{server,express,fastify,instrumentation}.mjs',
        'examples/*/handlers/*.{mjs,ts}',
        'examples/*/test/*.ts',
        'test/conformance/accept-until-killed.ts',
        'test/simulation/mutants/run.mjs',
        // Loaded by the programs that the demo and the pictures start.
        'demo/incidents/handlers/*/*.mjs',
        'scripts/screenshots/handlers/*.mjs',
      ],
      project: [
        'src/**/*.{ts,tsx}!',
        'handlers/**/*.ts!',
        'test/**/*.ts',
        'scripts/**/*.mjs',
        'examples/**/*.{mjs,ts}',
        'demo/**/*.mjs',
      ],
    },
    provider: {
      entry: ['index.ts!', 'companies/certificate-thread.ts!'],
      project: ['**/*.{ts,tsx}!', '!test/**!'],
      // The contract needs it, which is bundled.
      ignoreDependencies: ['libphonenumber-js'],
    },
  },
  ignoreExportsUsedInFile: { interface: true, type: true },
  // Of the machine, where the tests of faults need them; they say so where they are missing.
  ignoreBinaries: ['mkfifo', 'strace', 'mount', 'umount', 'script', 'promtool', 'prlimit'],
  treatConfigHintsAsErrors: true,
  // Run by scripts, through their paths in node_modules; the specs' schema, the types of Kubernetes, Swagger UI and htmx are read by their paths.
  ignoreDependencies: [
    '@asyncapi/specs',
    '@arethetypeswrong/cli',
    // Of this repository; the command line says how to install it where it is missing.
    '@portaria/provider',
    'axe-core',
    'dependency-cruiser',
    'htmx.org',
    'kubernetes-types',
    'oxlint',
    'oxlint-tsgolint',
    'publint',
    'swagger-ui-dist',
  ],
};
