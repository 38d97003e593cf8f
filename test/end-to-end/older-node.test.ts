/** Given a Node.js that is too old, the program runs on a newer one nearby or says what to do. */
import { chmodSync, cpSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { launchNode, olderNode } from '../support/launch-program.ts';

const repository = fileURLToPath(new URL('../../', import.meta.url));

const root = mkdtempSync(join(tmpdir(), 'portaria-older-node-'));
const preload = olderNode(root);
/** One copy of the program for all tests: each moves it to where it wants it. */
let folder = join(root, 'copy');
for (const name of ['dist', 'package.json'])
  cpSync(join(repository, name), join(folder, name), { recursive: true });

afterAll(() => {
  rmSync(root, { recursive: true });
});

/** An installed copy of the program that believes it runs on Node.js 20. */
function installed(place = 'clone') {
  const within = mkdtempSync(join(root, 'place-'));
  mkdirSync(dirname(join(within, place)), { recursive: true });
  renameSync(folder, join(within, place));
  folder = join(within, place);
  rmSync(join(folder, 'node_modules'), { recursive: true, force: true });
  return {
    folder,
    run: (...args: readonly string[]) =>
      launchNode(['--require', preload, join(folder, 'dist/src/cli/main.js'), ...args]),
  };
}

/** Puts a shell script where npm would install a newer Node.js. */
function withNodeNearby(folder: string, script: string): void {
  const bin = join(folder, 'node_modules', '.bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'node'), `#!/bin/sh\n${script}\n`);
  chmodSync(join(bin, 'node'), 0o755);
}

test('without a newer Node.js nearby, says what to do and ends with 4', async () => {
  const { code, out, err } = await installed().run('serve').ended;
  expect({ code, out }).toEqual({ code: 4, out: '' });
  expect(err).toContain('needs Node.js 22.18.0 or later, and this is 20.20.2');
  expect(err).toContain('nvm install');
});

test('ignores a Node.js nearby that is too old as well', async () => {
  const { folder, run } = installed();
  withNodeNearby(folder, 'echo v20.1.0');
  expect((await run('--version').ended).code).toBe(4);
});

test.each([
  ['others could have written it', 'node_modules', 0o757],
  ['it lies in a folder around a clone', '..', 0o755],
])('one nearby is not run when %s', async (_, place, mode) => {
  const { folder, run } = installed();
  const bin = join(folder, place, '.bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'node'), '#!/bin/sh\necho v24.1.0\n');
  chmodSync(join(bin, 'node'), mode);
  expect((await run('--version').ended).code).toBe(4);
});

test('passes the command line to a newer Node.js, and returns its exit code', async () => {
  const { folder, run } = installed();
  withNodeNearby(
    folder,
    '[ "$1" = --version ] && echo v24.1.0 && exit; shift; echo "started with $*"; exit 3',
  );
  const { code, out } = await run('events', 'show', 'a b').ended;
  expect({ code, out }).toEqual({ code: 3, out: 'started with events show a b\n' });
});

test('finds one that is installed beside the package, and passes --stop-with-parent to a server', async () => {
  const { folder, run } = installed('node_modules/portaria');
  const script = '[ "$1" = --version ] && echo v24.1.0 && exit; shift; echo "started with $*"';
  withNodeNearby(join(folder, '..', '..'), script);
  expect(await run('serve').ended).toMatchObject({ code: 0, out: 'started with serve --stop-with-parent\n' });
});

test('passes SIGTERM to the newer Node.js', async () => {
  const { folder, run } = installed();
  withNodeNearby(
    folder,
    `[ "$1" = --version ] && echo v24.1.0 && exit
trap 'echo stopping; exit 0' TERM
echo "serving as $$"
while :; do sleep 0.02; done`,
  );
  const { child, ended, out } = run('serve');
  await eventually('it serves', () => out().includes('serving'));
  onTestFinished(() => {
    const pid = Number(/serving as (\d+)/.exec(out())?.[1]);
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // The process has ended, as expected.
    }
  });
  child.kill('SIGTERM');
  expect(await ended).toMatchObject({ code: 0, out: expect.stringContaining('stopping') as string });
});

test('createPortaria fails with an error before the SQLite binding can crash the process', async () => {
  const program = `
    import { createPortaria, loadConfig } from ${JSON.stringify(join(repository, 'dist/src/index.js'))};
    await createPortaria({ config: loadConfig({}, ${JSON.stringify(root)}) }).catch(({ code }) => console.log(code));`;
  const { code, out } = await launchNode(['--require', preload, '--input-type=module', '--eval', program])
    .ended;
  expect({ code, out }).toEqual({ code: 0, out: 'misconfigured\n' });
});
