/** Masking without the definitions of custom kinds: nothing shows that they would have masked. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fixture } from '../support/webhooks/fixtures.ts';
import { cliEnvironment } from './kit/cli-environment.ts';

const kinds = `import { defineKind, z } from 'portaria';
export const archived = defineKind('company.archived', {
  schema: z.object({ id: z.int(), reason: z.string(), contact: z.string() }),
  personal: ['contact'],
});`;
const archived = { type: 'company.archived', data: { id: 7, reason: 'sold', contact: 'Ana' } };

async function shownData(cli: ReturnType<typeof cliEnvironment>, id: string) {
  const { rows, err } = await cli.run('events', 'show', id, '--json');
  return { data: rows[0]?.['data'], err };
}

test('a stored event shows its declared fields, and is masked wholly once the file of its kind is gone', async () => {
  const cli = cliEnvironment();
  const file = join(cli.handlersFolder, 'kinds.ts');
  writeFileSync(file, kinds);
  await cli.seed([archived]);
  expect((await shownData(cli, '1')).data).toEqual({ id: 7, reason: 'sold', contact: '***' });

  rmSync(file);
  writeFileSync(
    join(cli.handlersFolder, 'none.mjs'),
    "export { fromConfig as none } from 'portaria';\nimport { fromConfig } from 'portaria';\nexport default fromConfig(() => undefined);",
  );
  expect((await shownData(cli, '1')).data).toEqual({ id: '***', reason: '***', contact: '***' });
});

test('a folder that cannot be loaded masks every payload wholly, with a note that says why', async () => {
  const cli = cliEnvironment();
  await cli.seed([fixture('charge.updated')]);
  writeFileSync(join(cli.handlersFolder, 'broken.ts'), 'export default (');
  const { data, err } = await shownData(cli, '1');
  expect(err).toMatch(/masked wholly: the handlers in .* cannot be loaded/);
  expect(data).toMatchObject({ status: '***', amount: '***' });
});

test('--kind knows custom kinds, and suggests them', async () => {
  const cli = cliEnvironment();
  writeFileSync(join(cli.handlersFolder, 'kinds.ts'), kinds);
  await cli.seed([archived]);
  expect((await cli.run('events', 'list', '--kind', 'company.archived')).err).toBe('');
  expect((await cli.run('events', 'list', '--kind', 'company.archivd')).err).toContain(
    'did you mean company.archived?',
  );
});
