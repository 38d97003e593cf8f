/** A custom kind in the folder of handlers, run by the real process. test/cli/custom-kinds.test.ts has the rest. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { portaria, rows, serve } from '../support/running-portaria.ts';
import { createWorkspace } from '../support/workspace.ts';

test('the example of docs/contract.md runs as it stands', async () => {
  const workspace = createWorkspace();
  const document = readFileSync(new URL('../../docs/contract.md', import.meta.url), 'utf8');
  const example = /<!-- example (\S+) -->\s+```ts\n([^]*?)```/.exec(document);
  workspace.writeHandler(String(example?.[1]), String(example?.[2]));
  const env = workspace.settings;
  const running = await serve(env);
  const sent = await portaria(['send', 'company.archived', '--url', running.url], env);
  expect(sent.out).toContain('"status":"accepted"');
  await eventually('the handler has run', () => running.written().includes('archived') || undefined);
  expect(await rows(['events', 'list'], env)).toMatchObject([{ subject: 'company:7', recognized: true }]);
});
