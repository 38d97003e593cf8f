/** How `npm run demo` begins and is interrupted. The fault tests play whole days. */
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { playDemo } from '../support/played-demo.ts';

test('ends every process and removes the data on Ctrl-C', async () => {
  const { child, ended, out } = playDemo('--seconds', '60', '--companies', '1', '--violations', '10');
  const folder = await eventually(
    'it prints the folder of its data',
    () => /\/\S*portaria-demo-\w+/u.exec(out())?.[0],
  );
  child.kill('SIGINT');

  expect((await ended).code).toBe(130);
  expect(existsSync(folder)).toBe(false);
});

test('rejects an unknown option and prints the usage', async () => {
  const { code, err } = await playDemo('--second', '60').ended;

  expect(code).toBe(2);
  expect(err).toMatch(/Unknown option '--second'.*--seconds <n>/su);
});
