import { existsSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/kernel/time/clock.ts';
import { openProvider } from '../open-provider.ts';
import { findOrCreateOrganization } from '../organizations/organization.ts';
import { startProvider } from '../start-provider.ts';
import { testContext } from '../../src/testing/test-context.ts';
import { createWorkspace } from '../../test/support/workspace.ts';

function start(path: string) {
  const { log } = testContext();
  const options = {
    host: '127.0.0.1',
    port: 0,
    clock: systemClock,
    random: () => 0.5,
    log,
    version: '0.0.0',
  };
  return startProvider({ path, ...options });
}

async function running(path: string) {
  const provider = await start(path);
  onTestFinished(() => provider.stop());
  return provider;
}

test('rejects a second provider on the same file, and names the remedy', async () => {
  const path = join(createWorkspace().folder, 'provider.db');
  const first = await running(path);

  await expect(start(path)).rejects.toMatchObject({
    code: 'store-locked',
    message: expect.stringMatching(/another running provider: stop it, or use another file \(--database\)/u),
  });
  expect((await fetch(`${first.url}/openapi.json`)).status).toBe(200);
});

test('rejects a second provider on a link to the file', async () => {
  const { folder } = createWorkspace();
  const path = join(folder, 'provider.db');
  await running(path);
  symlinkSync(path, join(folder, 'link.db'));

  await expect(start(join(folder, 'link.db'))).rejects.toMatchObject({ code: 'store-locked' });
});

test('starts the next provider once the first has stopped', async () => {
  const path = join(createWorkspace().folder, 'provider.db');
  const first = await running(path);
  await first.stop();

  const second = await running(path);

  expect((await fetch(`${second.url}/openapi.json`)).status).toBe(200);
});

test('releases the file when it cannot listen', async () => {
  const { folder } = createWorkspace();
  const path = join(folder, 'provider.db');
  const { log } = testContext();
  const options = { clock: systemClock, random: () => 0.5, log, version: '0.0.0' };
  const elsewhere = await running(join(folder, 'other.db'));
  const port = Number(new URL(elsewhere.url).port);
  await expect(startProvider({ path, host: '127.0.0.1', port, ...options })).rejects.toMatchObject({
    code: 'misconfigured',
  });

  await running(path);
});

test('lets commands open the file, and needs no lock in memory', async () => {
  const path = join(createWorkspace().folder, 'provider.db');
  await running(path);
  await running(':memory:');
  await running(':memory:');

  const beside = openProvider({ path });
  expect(await findOrCreateOrganization(beside, 'A')).toBe(1);
  await beside.close();
  expect(existsSync(':memory:.lock')).toBe(false);
});
