/** A good entry; each of the others differs from it in one thing. */
const good = { version: '1.0.0', integrity: 'sha512-AAAA', license: 'MIT' };

/** By what is wrong with them: the rule that must see it, and the entry. */
const wrong = {
  'from-git': { rule: 'source', entry: { ...good, resolved: 'git+ssh://git@github.com/a/b.git#0123' } },
  'from-a-file': { rule: 'source', entry: { ...good, resolved: 'file:../elsewhere' } },
  'from-http': { rule: 'source', entry: { ...good, resolved: 'http://registry.npmjs.org/x/-/x-1.0.0.tgz' } },
  'from-another-registry': {
    rule: 'source',
    entry: { ...good, resolved: 'https://registry.npmjs.org.example/x/-/x-1.0.0.tgz' },
  },
  linked: { rule: 'source', entry: { resolved: 'packages/linked', link: true } },
  'without-version': { rule: 'version', entry: { ...good, version: undefined } },
  'without-checksum': { rule: 'integrity', entry: { ...good, integrity: undefined } },
  'with-weak-checksum': { rule: 'integrity', entry: { ...good, integrity: 'sha1-AAAA' } },
  'with-install-script': { rule: 'install script', entry: { ...good, hasInstallScript: true } },
  'with-allowed-script': { rule: 'install script', entry: { ...good, hasInstallScript: true } },
  'without-licence': { rule: 'licence', entry: { ...good, license: undefined } },
  'with-its-own': { rule: 'licence', entry: { ...good, license: 'SEE LICENSE IN LICENSE.md' } },
  copyleft: { rule: 'licence', entry: { ...good, license: 'AGPL-3.0-only', dev: true } },
  'copyleft-and-more': { rule: 'licence', entry: { ...good, license: '(MIT AND GPL-3.0-only)' } },
  'with-exception': { rule: 'licence', entry: { ...good, license: 'Apache-2.0 WITH LLVM-exception' } },
  'development-only': { rule: 'licence', entry: { ...good, license: 'MPL-2.0' } },
  'maybe-in-production': { rule: 'licence', entry: { ...good, license: 'MPL-2.0', devOptional: true } },
  'installed-as-other': { rule: 'licence', entry: good },
};

const right = {
  plain: good,
  '@scope/addressed': {
    ...good,
    resolved: 'https://registry.npmjs.org/@scope/addressed/-/addressed-1.0.0.tgz',
  },
  choice: { ...good, license: '(GPL-3.0-only OR (MIT AND BSD-2-Clause))' },
  tool: { ...good, license: 'MPL-2.0', dev: true },
  'plain/node_modules/bundled': { ...good, integrity: undefined, inBundle: true },
  'named-script': { ...good, hasInstallScript: true },
};

const wantedFromElsewhere = {
  'by-git': 'github:a/b',
  'by-short-git': 'a/b',
  'by-file': 'file:../x',
  'by-address': 'https://example.com/x.tgz',
};

const manifest = {
  name: 'planted',
  dependencies: { plain: '^1.0.0', aliased: 'npm:@scope/addressed@^1.0.0', ...wantedFromElsewhere },
  overrides: { plain: { nested: 'file:../y' } },
  allowScripts: { 'named-script': false, 'with-allowed-script': true },
};

const packages = Object.fromEntries([
  ['', { dependencies: { plain: '^1.0.0', 'locked-by-git': 'git+https://example.com/x.git' } }],
  ...Object.entries(right).map(([name, entry]) => [`node_modules/${name}`, entry]),
  ...Object.entries(wrong).map(([name, { entry }]) => [`node_modules/${name}`, entry]),
]);

/** A project in which all of that is planted. */
export const planted = {
  settings: [],
  files: {
    'package.json': JSON.stringify(manifest),
    'package-lock.json': JSON.stringify({ lockfileVersion: 3, packages }),
    'node_modules/plain/package.json': JSON.stringify({
      licenses: [{ type: 'GPL-3.0-only' }, { type: 'MIT' }],
    }),
    'node_modules/installed-as-other/package.json': JSON.stringify({ license: { type: 'GPL-2.0-only' } }),
  },
};

/** What must be found in it, and nothing else. */
export const expected = [
  ...Object.keys(wantedFromElsewhere).map((name) => `wanted: package.json ${name}`),
  'wanted: package.json nested',
  'wanted: package-lock.json locked-by-git',
  ...Object.entries(wrong).map(([name, { rule }]) => `${rule}: node_modules/${name}`),
];
