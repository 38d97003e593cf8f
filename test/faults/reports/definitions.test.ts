/** Reports about definitions: kinds, their schemas, and the files that hold them. */
import { writeFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { portaria, serve } from '../../support/running-portaria.ts';
import { fixture } from '../../support/webhooks/fixtures.ts';
import { createWorkspace, type Workspace } from '../../support/workspace.ts';
import { report } from './report.ts';

const importing = `import { defineHandler, defineKind, z } from 'portaria';\n`;
const env = ({ database, handlers }: Workspace) => ({
  PORTARIA_DATABASE: database,
  PORTARIA_HANDLERS: handlers,
});

report('defineKind of a known kind with a schema that has .refine()', 'the rule holds', async () => {
  const workspace = createWorkspace();
  workspace.writeHandler(
    'patch.mjs',
    `${importing} export default defineKind('charge.updated', {
      schema: z.object({ amount: z.number() }).refine(({ amount }) => amount < 100) });`,
  );
  const receiver = await serve(env(workspace));
  const { data } = fixture('charge.updated');
  const statuses = await Promise.all(
    [99, 100].map(
      async (amount) =>
        (await receiver.post({ type: 'charge.updated', data: { ...data, id: amount, amount } })).status,
    ),
  );
  expect(statuses).toEqual([202, 422]);
});

report(
  'webhooks whose payloads are lists, texts or null, and the file that `contract drift --out` makes of them',
  'accepts them, as a schema of a list that is written by hand does',
  async () => {
    const workspace = createWorkspace();
    const { folder, handlers } = workspace;
    const bodies = [[{ txid: 'a' }], 'a', null].map((data, at) => ({
      type: `bank.kind-${String(at)}`,
      data,
    }));
    writeFileSync(join(folder, 'all.ndjson'), bodies.map((body) => JSON.stringify(body)).join('\n'));
    await portaria(['events', 'import', join(folder, 'all.ndjson'), '--no-handlers'], env(workspace));
    const { code } = await portaria(
      ['contract', 'drift', '--out', join(handlers, 'patch.ts')],
      env(workspace),
    );
    expect(code).toBe(0);
    workspace.writeHandler(
      'pix.ts',
      `${importing} export default defineKind('pix', { schema: z.array(z.object({ txid: z.string() })) });`,
    );

    const receiver = await serve(env(workspace));
    for (const { type, data } of [...bodies, { type: 'pix', data: [{ txid: 'b' }] }])
      expect(
        await receiver.post({ type, data: Array.isArray(data) ? [...data, ...data] : data }),
      ).toMatchObject({
        body: { status: expect.stringMatching(/accepted|duplicate/) as string },
      });
    expect((await receiver.post({ type: 'pix', data: [{}] })).status).toBe(422);
  },
);

report(
  'a handlers file that imports by `paths` of tsconfig.json, and names a kind of another file by its text',
  'the start takes both, and the handler runs',
  async () => {
    const workspace = createWorkspace();
    const { folder } = workspace;
    writeFileSync(join(folder, 'tsconfig.json'), '{"compilerOptions":{"paths":{"@lib/*":["./lib/*"]}}}');
    mkdirSync(join(folder, 'lib'));
    writeFileSync(join(folder, 'lib', 'name.ts'), `export const name = 'archive';`);
    workspace.writeHandler(
      'archive.ts',
      `${importing} import { name } from '@lib/name';
       export default defineHandler({ name, on: 'company.archived' as never, handle: () => undefined });`,
    );
    workspace.writeHandler(
      'kinds.ts',
      `${importing} export default defineKind('company.archived', { schema: z.object({ id: z.int() }) });`,
    );
    const receiver = await serve(env(workspace));
    expect(await receiver.post({ type: 'company.archived', data: { id: 7 } })).toMatchObject({
      status: 202,
      body: { status: 'accepted' },
    });
    const { out } = await portaria(['deliveries', 'list', '--json'], env(workspace));
    expect(JSON.parse(out)).toMatchObject({ handler: 'archive' });
  },
);
