/** A clone's own Node.js stays when the bootstrap installs packages again. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { createWorkspace } from '../support/workspace.ts';

const repository = fileURLToPath(new URL('../../', import.meta.url));

/** A clone without dependencies, with its own Node.js in `node_modules`. */
function clone() {
  const { folder } = createWorkspace();
  const manifest = { name: 'small', version: '1.0.0', engines: { node: '>=22.18.0' } };
  const write = (path: string, value: unknown): void => {
    writeFileSync(join(folder, path), JSON.stringify(value));
  };
  write('package.json', manifest);
  write('package-lock.json', { ...manifest, lockfileVersion: 3, packages: { '': manifest } });
  cpSync(join(repository, 'scripts'), join(folder, 'scripts'), { recursive: true });

  const own = join(folder, 'node_modules', '.portaria-node');
  const bin = join(folder, 'node_modules', '.bin');
  mkdirSync(join(own, 'bin'), { recursive: true });
  mkdirSync(bin, { recursive: true });
  write('node_modules/.portaria-node/package.json', { version: process.versions.node });
  copyFileSync(process.execPath, join(own, 'bin', 'node'));
  symlinkSync('../.portaria-node/bin/node', join(bin, 'node'));
  return {
    link: join(bin, 'node'),
    isInstalled: () => existsSync(join(folder, 'node_modules', '.portaria-bootstrap')),
    bootstrap: (node: string, env: Readonly<Record<string, string>> = {}) =>
      execFileSync(node, [join(folder, 'scripts', 'bootstrap.mjs'), '--install-only'], {
        cwd: folder,
        env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env },
        stdio: 'pipe',
      }),
  };
}

test.each(['itself', 'another one'])('stays when %s runs the installation', (which) => {
  const { link, isInstalled, bootstrap } = clone();
  expect(isInstalled()).toBe(false);

  bootstrap(which === 'itself' ? link : process.execPath);

  expect(isInstalled()).toBe(true);
  expect(execFileSync(link, ['--version'], { encoding: 'utf8' }).trim()).toBe(process.version);
});

test('is removed by PORTARIA_NODE=system', () => {
  const { link, bootstrap } = clone();
  bootstrap(process.execPath, { PORTARIA_NODE: 'system' });
  expect(existsSync(link)).toBe(false);
});
