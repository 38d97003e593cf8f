/** Files that `scripts/slim-image.mjs` keeps in the container image, and files that it removes. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

const script = fileURLToPath(new URL('../scripts/slim-image.mjs', import.meta.url));
const other = process.arch === 'x64' ? 'arm64' : 'x64';

const kept = [
  'dist/chunks/hono.js',
  'dist/licences/hono.txt',
  'dist/src/main.js',
  'node_modules/@scope/loaded/LICENCE',
  'node_modules/@scope/loaded/NOTICE.md',
  'node_modules/@scope/loaded/index.js',
  'node_modules/@scope/loaded/package.json',
  'node_modules/better-sqlite3/LICENSE',
  'node_modules/better-sqlite3/lib/index.js',
  'node_modules/better-sqlite3/package.json',
  `node_modules/better-sqlite3/prebuilds/linux-${process.arch}.node`,
  `node_modules/better-sqlite3/prebuilds/linuxmusl-${process.arch}.node`,
  'node_modules/libphonenumber-js/LICENSE',
  'node_modules/libphonenumber-js/core/index.js',
  'node_modules/libphonenumber-js/metadata.max.json',
  'node_modules/libphonenumber-js/max/index.js',
  'node_modules/loaded/COPYING',
  'node_modules/loaded/LICENSE.md',
  'node_modules/loaded/index.js',
  'node_modules/loaded/lib/license-of-a-part.md',
  'node_modules/loaded/node_modules/nested/LICENSE.md',
  'node_modules/loaded/node_modules/nested/index.js',
  'node_modules/loaded/package.json',
];

const removed = [
  'dist/src/main.d.ts',
  'node_modules/@hono/node-server/LICENSE',
  'node_modules/@hono/node-server/index.js',
  'node_modules/@portaria/provider/index.js',
  'node_modules/@scope/loaded/README.markdown',
  'node_modules/@scope/loaded/index.d.mts',
  'node_modules/better-sqlite3/binding.gyp',
  'node_modules/better-sqlite3/deps/sqlite3.c',
  `node_modules/better-sqlite3/prebuilds/darwin-${process.arch}.node`,
  `node_modules/better-sqlite3/prebuilds/linux-${other}.node`,
  `node_modules/better-sqlite3/prebuilds/linuxmusl-${other}.node`,
  `node_modules/better-sqlite3/prebuilds/win32-${process.arch}.node`,
  'node_modules/better-sqlite3/src/addon.cpp',
  'node_modules/hono/LICENSE',
  'node_modules/hono/index.js',
  'node_modules/libphonenumber-js/bundle/all.js',
  'node_modules/libphonenumber-js/min/index.js',
  'node_modules/libphonenumber-js/metadata.full.json',
  'node_modules/loaded/CHANGELOG.md',
  'node_modules/loaded/README.md',
  'node_modules/loaded/index.d.ts',
  'node_modules/loaded/index.js.map',
  'node_modules/loaded/node_modules/nested/README.md',
  'node_modules/node-forge/index.js',
];

test('keeps the licences and the code of each package, and removes the rest', () => {
  const folder = checkout([...kept, ...removed]);

  const { status, stderr } = slim(folder);

  expect([status, stderr]).toEqual([0, '']);
  expect(filesIn(folder)).toEqual(kept.toSorted());
});

test('rejects a checkout that is not built, and removes nothing', () => {
  const files = [...kept, ...removed].filter((file) => !file.startsWith('dist/'));
  const folder = checkout(files);

  const { status, stderr } = slim(folder);

  expect(status).toBe(1);
  expect(stderr).toContain('is missing: build first');
  expect(filesIn(folder)).toEqual(files.toSorted());
});

function checkout(files: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'portaria-slim-image-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  for (const file of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), file);
  }
  return folder;
}

function slim(folder: string) {
  return spawnSync(process.execPath, [script, folder], { encoding: 'utf8' });
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => statSync(join(folder, path)).isFile())
    .toSorted();
}
