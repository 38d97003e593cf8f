/**
 * What may import what. `npm run layering` runs it, and proves first that a
 * violation would be seen.
 */

/** Folder (or file) of src -> the others that it may import. Itself it always may. `provider` is a folder beside src. */
const mayImport = {
  kernel: [],
  contract: ['kernel'],
  event: ['kernel'],
  telemetry: ['kernel', 'contract', 'event'],
  verify: ['kernel', 'contract', 'event'],
  parse: ['kernel', 'contract', 'event'],
  identify: ['kernel', 'contract', 'event'],
  store: ['kernel', 'contract', 'event'],
  audit: ['kernel', 'store', 'telemetry'],
  privacy: ['kernel', 'contract', 'event', 'store', 'handle', 'audit'],
  handle: ['kernel', 'contract', 'event', 'verify', 'store', 'client'],
  config: ['kernel', 'access', 'contract', 'verify'],
  'pipeline.ts': ['kernel', 'event', 'verify', 'parse', 'identify', 'store', 'telemetry'],
  receive: ['kernel', 'contract', 'event', 'telemetry'],
  dispatch: ['kernel', 'event', 'store', 'handle', 'telemetry'],
  attention: ['kernel', 'contract', 'store', 'verify', 'telemetry', 'config'],
  confirm: ['kernel', 'contract', 'event', 'store', 'attention', 'client', 'dispatch'],
  reconcile: [
    'kernel',
    'contract',
    'event',
    'parse',
    'identify',
    'store',
    'client',
    'handle',
    'confirm',
    'privacy',
    'operate',
    'telemetry',
  ],
  view: ['kernel', 'contract', 'event', 'store', 'handle', 'privacy', 'attention'],
  operate: ['kernel', 'contract', 'event', 'parse', 'store', 'handle', 'view'],
  serving: ['kernel', 'store', 'handle', 'dispatch', 'operate', 'telemetry'],
  jobs: ['kernel', 'event', 'verify', 'store', 'handle', 'view', 'operate', 'reconcile'],
  rehearse: ['kernel', 'contract', 'event', 'store', 'handle', 'dispatch', 'view'],
  access: ['kernel', 'audit', 'telemetry'],
  pages: ['kernel'],
  ops: [
    'kernel',
    'event',
    'store',
    'attention',
    'view',
    'operate',
    'access',
    'console',
    'audit',
    'jobs',
    'privacy',
  ],
  console: [
    'kernel',
    'access',
    'pages',
    'contract',
    'event',
    'store',
    'handle',
    'attention',
    'view',
    'operate',
    'telemetry',
    'audit',
    'jobs',
    'privacy',
    'reconcile',
  ],
  testing: ['kernel', 'contract', 'event', 'store', 'handle', 'parse', 'identify'],
  transactions: ['kernel', 'handle'],
  client: ['kernel', 'contract'],
  '../provider': ['kernel', 'contract'],
};

/** Library -> the only places that may know it. */
const onlyIn = {
  kysely: ['store/sqlite', 'store/postgres', 'store/shared', 'store/copy', '../provider'],
  pg: ['store/postgres'],
  'better-sqlite3': [
    'kernel/files/exclusive-lock.ts',
    'kernel/files/sqlite-rows.ts',
    'store/sqlite',
    'store/copy',
    '../provider',
  ],
  'p-queue': ['dispatch', 'jobs', 'store/postgres'],
  hono: ['receive', 'access', 'pages', 'ops', 'console', '../provider', 'compose.ts'],
  '@hono/[^/]+': ['kernel/http/server', 'ops', '../provider'],
  '@dagrejs/dagre': ['console/diagram'],
  'node-forge': ['../provider'],
  'libphonenumber-js': ['contract'],
  commander: ['cli'],
  'cli-table3': ['cli'],
  'cli-progress': ['cli'],
  jiti: ['handle'],
  jose: ['verify'],
  '@opentelemetry/api': ['telemetry/opentelemetry'],
  pino: ['telemetry'],
  'pino-pretty': ['telemetry'],
  'prom-client': ['telemetry', 'ops', 'compose.ts'],
  'eventsource-parser': ['client'],
};

const tests = '[.]test[.]ts$';
/** @param {string} name a name of these rules: a folder or file of src, or a folder beside it */
const pathOf = (name) => (name.startsWith('../') ? name.slice(3) : `src/${name}`);
/** @param {string} name */
const place = (name) => {
  const path = pathOf(name);
  return path.endsWith('.ts') ? `^${path.replace('.', '[.]')}$` : `^${path}/`;
};

/** Files that the rules of layers and libraries leave out. */
const outside = [tests, '^provider/test/'];

const layers = Object.entries(mayImport).map(([from, others]) => ({
  name: `layer-${from.replace('../', '')}`,
  comment: `${pathOf(from)} may import ${others.length === 0 ? 'nothing else of src' : others.map(pathOf).join(', ')}.`,
  severity: 'error',
  from: { path: place(from), pathNot: outside },
  to: { path: '^src/', pathNot: [from, ...others].map(place) },
}));

const libraries = Object.entries(onlyIn).map(([library, places]) => ({
  name: `library-${library}`,
  comment: `Only ${places.map(pathOf).join(', ')} may know ${library}.`,
  severity: 'error',
  from: { path: '^(src|provider)/', pathNot: [...places.map(place), ...outside] },
  to: { path: `node_modules/${library}/` },
}));

/** Every permission of these rules. `npm run layering` fails on one that no import uses. */
export const allowances = [
  ...Object.entries(mayImport).flatMap(([from, others]) =>
    others.map((other) => ({
      name: `${pathOf(from)} may import ${pathOf(other)}`,
      from: { path: place(from), pathNot: outside },
      to: place(other),
    })),
  ),
  ...Object.entries(onlyIn).flatMap(([library, places]) =>
    places.map((name) => ({
      name: `${pathOf(name)} may know ${library}`,
      from: { path: place(name), pathNot: outside },
      to: `node_modules/${library}/`,
    })),
  ),
];

export default {
  forbidden: [
    {
      name: 'no-cycle',
      comment: 'Import cycles, type imports included, make files that cannot be understood one by one.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'resolvable',
      comment: 'An import that resolves to nothing would escape every other rule.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'store-behind-its-interface',
      comment:
        'Only what opens or copies a store knows which one it is, and the command line, whose commands work on the file.',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: ['^src/store/(?:sqlite|postgres|copy)/', place('store/open-store.ts'), place('cli'), tests],
      },
      to: { path: '^src/store/(?:sqlite|postgres)/' },
    },
    {
      name: 'shared-inside-the-stores',
      comment: 'What the stores share is as far behind the interface as they are.',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/store/(?:sqlite|postgres|shared|copy)/', tests] },
      to: { path: '^src/store/shared/' },
    },
    {
      name: 'provider-as-outsider',
      comment:
        'The provider is another program: the receiver knows it by HTTP only, and one file of the command line loads it.',
      severity: 'error',
      from: { path: '^src/', pathNot: [place('cli/commands/provider/load-provider.ts'), tests] },
      to: { path: '^provider/' },
    },
    {
      name: 'provider-by-its-entry',
      comment: 'The command line loads the provider by its entry point, which is that of its package.',
      severity: 'error',
      from: { path: '^src/', pathNot: tests },
      to: { path: '^provider/', pathNot: '^provider/index[.]ts$' },
    },
    {
      name: 'provider-without-its-entry',
      comment: 'The entry point is for outsiders; inside the provider, import the file that defines it.',
      severity: 'error',
      from: { path: '^provider/', pathNot: outside },
      to: { path: '^provider/index[.]ts$' },
    },
    {
      name: 'handlers-as-outsiders',
      comment: 'Shipped handlers use what every user has: the package by its name.',
      severity: 'error',
      from: { path: '^handlers/', pathNot: tests },
      to: { path: '^src/', pathNot: ['^src/index[.]ts$', '^src/testing/index[.]ts$'] },
    },
    {
      name: 'sources-know-no-tests',
      comment: 'What ships must not depend on what does not.',
      severity: 'error',
      from: { path: '^(src|handlers|provider)/', pathNot: outside },
      to: { path: ['^test/', '^provider/test/', tests] },
    },
    {
      name: 'no-barrel-inside',
      comment: 'The entry points are for outsiders; inside, import the file that defines it.',
      severity: 'error',
      from: { path: '^(src|provider)/', pathNot: outside },
      to: { path: '^src/((client|testing|transactions)/)?index[.]ts$' },
    },
    {
      name: 'no-development-package',
      comment: 'A development package is not installed where this runs.',
      severity: 'error',
      from: { path: '^(src|handlers|provider)/', pathNot: outside },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
    ...layers,
    ...libraries,
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^((provider/)?dist|[.]dist-[^/]*)/' },
    // Type imports count: they couple files just as well.
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['types', 'import', 'node', 'default'],
    },
  },
};
