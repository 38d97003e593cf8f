/** A project that breaks every rule of the supply chain, to prove that the check sees it. */

const checksum = `sha512-${'A'.repeat(86)}==`;

/** A valid entry. Each invalid one differs from it in one field. */
const good = { version: '1.0.0', integrity: checksum, license: 'MIT' };

/** Invalid entries by package name, each with the rule that must report it. */
const invalid = {
  'from-git': { rule: 'source', entry: { ...good, resolved: 'git+ssh://git@github.com/a/b.git#0123' } },
  'from-a-file': { rule: 'source', entry: { ...good, resolved: 'file:../elsewhere' } },
  'from-a-registry': {
    rule: 'source',
    entry: { ...good, resolved: 'https://registry.example/from-a-registry/-/from-a-registry-1.0.0.tgz' },
  },
  'from-another-package': {
    rule: 'source',
    entry: { ...good, resolved: 'https://registry.example/evil/-/evil-6.6.6.tgz' },
  },
  'from-another-version': {
    rule: 'source',
    entry: {
      ...good,
      resolved: 'https://registry.example/from-another-version/-/from-another-version-6.6.6.tgz',
    },
  },
  linked: { rule: 'source', entry: { resolved: 'packages/linked', link: true } },
  'under-another-name': { rule: 'name', entry: { ...good, name: 'evil' } },
  '@typescript/native': { rule: 'name', entry: { ...good, name: 'evil' } },
  'plain/node_modules/with-alias-of-another': { rule: 'name', entry: { ...good, name: 'typescript' } },
  'without-version': { rule: 'version', entry: { ...good, version: undefined } },
  'with-alias-as-version': { rule: 'version', entry: { ...good, version: 'npm:evil@1.0.0' } },
  'with-address-as-version': { rule: 'version', entry: { ...good, version: 'https://example.com/x.tgz' } },
  'with-range-as-version': { rule: 'version', entry: { ...good, version: '^1.0.0' } },
  'without-checksum': { rule: 'integrity', entry: { ...good, integrity: undefined } },
  'with-weak-checksum': { rule: 'integrity', entry: { ...good, integrity: 'sha1-AAAA' } },
  'with-two-checksums': { rule: 'integrity', entry: { ...good, integrity: 'sha512-x sha1-abc' } },
  'with-a-second-checksum': { rule: 'integrity', entry: { ...good, integrity: `${checksum} ${checksum}` } },
  'with-short-checksum': { rule: 'integrity', entry: { ...good, integrity: 'sha512-AAAA' } },
  'bundling-nothing/node_modules/in-it': {
    rule: 'integrity',
    entry: { ...good, integrity: undefined, inBundle: true },
  },
  'in-no-bundle': { rule: 'integrity', entry: { ...good, integrity: undefined, inBundle: true } },
  'plain/node_modules/not-bundled': {
    rule: 'integrity',
    entry: { ...good, integrity: undefined, inBundle: true },
  },
  'in-no-bundle/node_modules/in-it': {
    rule: 'integrity',
    entry: { ...good, integrity: undefined, inBundle: true },
  },
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

const valid = {
  plain: good,
  '@scope/scoped': { ...good, version: '1.0.0-beta.2+build.3' },
  typescript: { ...good, name: '@typescript/typescript6' },
  choice: { ...good, license: '(GPL-3.0-only OR (MIT AND BSD-2-Clause))' },
  tool: { ...good, license: 'MPL-2.0', dev: true },
  'bundling-nothing': { ...good, bundleDependencies: false },
  bundler: { ...good, bundleDependencies: ['bundled'] },
  'bundler/node_modules/bundled': { ...good, integrity: undefined, inBundle: true },
  'bundler/node_modules/bundled/node_modules/deeper': { ...good, integrity: undefined, inBundle: true },
  'named-script': { ...good, hasInstallScript: true },
  '@own/workspace': { resolved: 'workspace', link: true },
};

const invalidRanges = {
  'by-git': 'github:a/b',
  'by-short-git': 'a/b',
  'by-file': 'file:../x',
  'by-address': 'https://example.com/x.tgz',
  'by-folder': '..',
  'by-home-folder': '~',
  'by-tarball': 'x.tgz',
  'by-tarball-like-a-version': '1.0.0-x.tgz',
  'by-tag': 'latest',
  'by-nothing': '',
  'by-alias': 'npm:evil@1.0.0',
  'by-alias-without-version': 'npm:by-alias-without-version',
  '@typescript/native': 'npm:evil@1.0.0',
};

const validRanges = {
  plain: '^1.0.0',
  exact: '1.0.0-beta.2+build.3',
  either: '1.x || >=2.5.0 <3 || 4.0.0 - 4.2',
  any: '*',
  '@typescript/old': 'npm:typescript@^6',
  typescript: 'npm:@typescript/typescript6@~6.0.2',
  'by-its-own-name': 'npm:by-its-own-name@1',
};

const manifest = {
  name: 'violations',
  workspaces: ['workspace'],
  dependencies: { ...validRanges, ...invalidRanges },
  overrides: { plain: { nested: 'file:../y', 'exact@1': '$exact' } },
  allowScripts: { 'named-script': false, 'with-allowed-script': true },
};

const packages = Object.fromEntries([
  ['', { dependencies: { plain: '^1.0.0', 'locked-by-git': 'git+https://example.com/x.git' } }],
  ['workspace', { name: '@own/workspace', dependencies: { 'of-a-workspace': 'github:a/b' } }],
  ...Object.entries(valid).map(([name, entry]) => [`node_modules/${name}`, entry]),
  ...Object.entries(invalid).map(([name, { entry }]) => [`node_modules/${name}`, entry]),
]);

/** A project with all of these violations. */
export const fixture = {
  settings: [],
  files: {
    'package.json': JSON.stringify(manifest),
    'package-lock.json': JSON.stringify({ lockfileVersion: 3, packages }),
    'workspace/package.json': JSON.stringify({ dependencies: { 'of-a-workspace': 'github:a/b' } }),
    'node_modules/plain/package.json': JSON.stringify({
      licenses: [{ type: 'GPL-3.0-only' }, { type: 'MIT' }],
    }),
    'node_modules/installed-as-other/package.json': JSON.stringify({ license: { type: 'GPL-2.0-only' } }),
  },
};

/** The violations that must be found in it, and no others. */
export const expected = [
  ...Object.keys(invalidRanges).map((name) => `range: package.json ${name}`),
  'range: package.json nested',
  'range: workspace/package.json of-a-workspace',
  'range: package-lock.json workspace of-a-workspace',
  'range: package-lock.json locked-by-git',
  ...Object.entries(invalid).map(([name, { rule }]) => `${rule}: node_modules/${name}`),
];
