/** `portaria dev`: the handlers of a folder start again when a file changes. */
import { appendFileSync, mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { charge } from '../support/webhooks/envelopes.ts';
import { eventually } from '../support/eventually.ts';
import { launchProgram, type Program } from '../support/launch-program.ts';
import { createWorkspace, recording, type Workspace } from '../support/workspace.ts';

const says = (workspace: Workspace, words: string, more = '') =>
  `${recording(workspace)}
  export default defineHandler({
    name: 'charges',
    on: 'charge.*',
    async handle({ data }, { signal }) {
      record('${words} ' + data.id);
      ${more}
    },
  });`;

/** Both outputs in the order in which they are written. */
const inOneStream = ['sh', '-c', 'exec "$@" 2>&1', 'sh'];

/** Waits for the text in what the program has printed since it was last asked. */
function reading({ out }: Program) {
  let seen = 0;
  return (pattern: RegExp) =>
    eventually(`the program prints ${String(pattern)} after:\n${out().slice(seen)}`, () => {
      const found = pattern.exec(out().slice(seen));
      if (found === null) return undefined;
      seen += found.index + found[0].length;
      return found;
    });
}

async function post(url: string, id: number): Promise<void> {
  await fetch(url, { method: 'POST', body: JSON.stringify(charge(id, 1)) });
}

test('a changed handler runs at the same address, a broken one is shown, and a mended one runs again', async () => {
  const workspace = createWorkspace();
  workspace.writeHandler('charges.ts', says(workspace, 'first', "await opened('gate', signal);"));
  const env = { PORTARIA_DATABASE: workspace.database };
  const program = launchProgram(['dev', workspace.handlers], env, inOneStream);
  const prints = reading(program);
  const [, url = ''] = await prints(/webhooks {2}(http:\S+)/);
  await prints(/console {3}http:/);
  await prints(/Portaria is ready/);
  await post(url, 1);
  await eventually('the handler runs', () => workspace.recorded().includes('first 1'));

  workspace.writeHandler('charges.ts', says(workspace, 'second', 'record("late")'));
  await prints(/Changed: charges\.ts[^]*stopping: running handlers may finish/);
  expect(workspace.recorded()).toEqual(['first 1']);
  workspace.open('gate');
  await prints(/Portaria is ready/);
  await post(url, 2);
  await eventually('the new handler runs', () => workspace.recorded().includes('second 2'));
  expect(
    workspace.recorded().filter((line) => line === 'first 1'),
    'ended before the restart',
  ).toHaveLength(1);

  workspace.writeHandler('charges.ts', `${says(workspace, 'third')}\n}`);
  await prints(/charges\.ts: ParseError: [^\n]* at line \d+[^]*Nothing answers at \S+ until a file/);
  workspace.writeHandler('charges.ts', says(workspace, 'third').replace("'charges'", "'Charges'"));
  await prints(/charges\.ts: handler "Charges" is not valid: [^]*, at line 15\n/);
  await expect(post(url, 3)).rejects.toThrow('fetch failed');

  // As editors save: the file is replaced by another one.
  workspace.writeHandler('.saved', says(workspace, 'third'));
  renameSync(join(workspace.handlers, '.saved'), join(workspace.handlers, 'charges.ts'));
  await prints(/Portaria is ready/);
  mkdirSync(join(workspace.handlers, 'shared'));
  writeFileSync(join(workspace.handlers, 'shared', 'words.json'), '{}');
  await prints(/Changed: [^\n]*words\.json[^]*Portaria is ready/);
  await post(url, 3);
  await eventually('the mended handler runs', () => workspace.recorded().includes('third 3'));

  expect(readdirSync(workspace.folder)).toContain('.portaria-dev.db');
  expect(readdirSync(workspace.folder), 'the database of the settings is left alone').not.toContain(
    'portaria.db',
  );
  program.child.kill('SIGTERM');
  expect(await program.ended).toMatchObject({ code: 0 });
});

test('keys send a sample, replay it and end; errors of types are printed', async () => {
  const workspace = createWorkspace();
  const compiler = fileURLToPath(new URL('../../node_modules/@typescript/native', import.meta.url));
  mkdirSync(join(workspace.folder, 'node_modules'));
  symlinkSync(compiler, join(workspace.folder, 'node_modules', 'typescript'));
  writeFileSync(join(workspace.folder, 'tsconfig.json'), '{}');
  workspace.writeHandler('charges.ts', says(workspace, 'first', 'const id: boolean = 7;'));
  workspace.writeHandler(
    'all.ts',
    says(workspace, 'all').replace("'charges'", "'all'").replace('charge.*', '*'),
  );
  const keys = join(workspace.folder, 'keys');
  const onTerminal = ['sh', '-c', 'mkfifo "$0" && exec script -qec "$*" /dev/null <>"$0"', keys];
  const program = launchProgram(['dev', workspace.handlers], { TERM: 'xterm' }, onTerminal);
  const prints = reading(program);
  await prints(/Portaria is ready/);
  await eventually('errors of types', () => program.out().includes('TS2322'));
  const runs = () => workspace.recorded().filter((line) => line.startsWith('first'));

  workspace.writeHandler('charges.ts', says(workspace, 'first'));
  await prints(/Portaria is ready/);
  appendFileSync(keys, 's');
  await prints(/Sample charge\.created: 202/);
  await eventually('the newest handler has the sample', () => runs().length === 1);
  appendFileSync(keys, 'r');
  await eventually('the newest event runs again', () => runs().length === 2);
  expect(new Set(runs()).size, 'the same event').toBe(1);
  appendFileSync(keys, 's');
  await prints(/Sample charge\.updated: 202/);
  workspace.writeHandler('charges.ts', 'export default');
  await prints(/Nothing answers at/);
  appendFileSync(keys, 's');
  await prints(/Not sent: the handlers do not load/);
  appendFileSync(keys, 'q');
  expect(await program.ended).toMatchObject({ code: 0 });
});
