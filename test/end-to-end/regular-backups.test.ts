/** A machine is gone: the newest copy that `serve` made is restored by one command on another. */
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { charge } from '../support/webhooks/envelopes.ts';
import { eventually } from '../support/eventually.ts';
import { portaria, rows, serve } from '../support/running-portaria.ts';
import { createWorkspace } from '../support/workspace.ts';

test('serve makes a checked copy by itself, and restore of its folder brings the newest to another machine', async () => {
  const workspace = createWorkspace();
  const backups = join(workspace.folder, 'backups');
  const first = await serve(workspace.settings);
  for (const id of [1, 2, 3]) await first.post(charge(id, 10));
  first.kill('SIGKILL');
  await first.ended;

  const second = await serve({ ...workspace.settings, PORTARIA_BACKUP_DIR: backups });
  const finished = () => readdirSync(backups).filter((name) => name.endsWith('.db'));
  await eventually('a copy is made', () => {
    mkdirSync(backups, { recursive: true });
    return finished().length === 1;
  });
  second.kill('SIGKILL');
  await second.ended;

  const elsewhere = { PORTARIA_DATABASE: join(workspace.folder, 'other-machine', 'portaria.db') };
  const restored = await portaria(['restore', backups], elsewhere);
  expect(restored).toMatchObject({ code: 0, out: expect.stringMatching(/^events +3$/mu) });
  const events = await rows(['events', 'list'], elsewhere);
  expect(events.map(({ subject }) => subject)).toEqual(['charge:3', 'charge:2', 'charge:1']);
});
