import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ownDependency } from './write-project.ts';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';

/** A folder with the package in `app/node_modules`, as npm has recorded it. */
function installed(record: object | null) {
  const folder = temporaryFolder();
  const root = join(folder, 'app', 'node_modules', 'portaria');
  mkdirSync(root, { recursive: true });
  const packages = { 'node_modules/portaria': record };
  if (record !== null)
    writeFileSync(join(folder, 'app', 'node_modules', '.package-lock.json'), JSON.stringify({ packages }));
  return { folder, dependency: () => ownDependency(join(folder, 'mine'), { root, version: '1.2.3' }) };
}

test.each([
  ['from a registry', { resolved: 'https://registry.npmjs.org/portaria/-/portaria-1.2.3.tgz' }],
  ['from a registry, with addresses left out of the lock file', { version: '1.2.3' }],
])('installed %s, it is a version', (_, record) => {
  expect(installed(record).dependency()).toBe('^1.2.3');
});

test('installed from a tarball, it is that tarball, or the package if that is gone', () => {
  const { folder, dependency } = installed({ resolved: 'file:../portaria-1.2.3.tgz' });
  writeFileSync(join(folder, 'portaria-1.2.3.tgz'), '');
  expect(dependency()).toBe('file:../portaria-1.2.3.tgz');
  rmSync(join(folder, 'portaria-1.2.3.tgz'));
  expect(dependency()).toBe('file:../app/node_modules/portaria');
});

test('installed from an address, it is that address', () => {
  const resolved = 'https://example.org/builds/portaria-1.2.3.tgz';
  expect(installed({ resolved }).dependency()).toBe(resolved);
});

test('installed without a record, as globally, it is the folder', () => {
  expect(installed(null).dependency()).toBe('file:../app/node_modules/portaria');
});

test('in a clone, also one that a project links, it is the folder of the clone', () => {
  const { folder } = installed(null);
  const clone = join(folder, 'clone');
  mkdirSync(clone);
  symlinkSync(clone, join(folder, 'app', 'node_modules', 'linked'));
  for (const root of [clone, join(folder, 'app', 'node_modules', 'linked')])
    expect(ownDependency(join(folder, 'mine'), { root, version: '1.2.3' })).toBe('file:../clone');
});
