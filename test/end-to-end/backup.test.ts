import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { portaria, rows, serve } from '../support/running-portaria.ts';
import { createWorkspace } from '../support/workspace.ts';

const company = (id: number, name: string) => ({
  type: 'company.updated',
  data: { id, name, updated_at: `2026-01-01T00:00:${String(id).padStart(2, '0')}Z` },
});

test('a backup beside serve is restored after it, and prunes go through a running serve', async () => {
  const { database, folder } = createWorkspace();
  const env = { PORTARIA_DATABASE: database };
  const copy = join(folder, 'copy.db');
  const running = await serve(env);
  for (let id = 1; id <= 20; id += 1) await running.post(company(id, 'Maria Prado'));

  const [backup] = await rows(['backup', copy], env);
  expect(backup).toMatchObject({ file: copy, rows: { events: 20 } });
  await running.post(company(21, 'Later'));
  const refused = await portaria(['restore', copy, '--yes'], env);
  expect(refused.err).toContain('stop serve');
  expect(refused.code).toBe(1);

  // Nothing is old enough yet, but every step runs beside serve.
  expect(await rows(['events', 'prune', '--older', '1d', '--yes'], env)).toMatchObject([{ events: 0 }]);
  expect((await running.post(company(1, 'Maria Prado'))).body).toMatchObject({ status: 'duplicate' });
  running.kill('SIGTERM');
  expect(await running.ended).toMatchObject({ code: 0 });
  expect(await rows(['stats'], env)).toMatchObject([{ events: 21, repeats: 1 }]);

  const [restored] = await rows(['restore', copy, '--yes'], env);

  expect(restored).toMatchObject({ rows: { events: 20 }, newer_events: 1 });
  expect(await rows(['stats'], env)).toMatchObject([{ events: 20, repeats: 0 }]);
  const again = await serve(env);
  const { body } = await again.post(company(21, 'Later'));
  expect(body['id']).toBe(`${String(restored?.['store_id'])}-21`);
  again.kill('SIGTERM');
  await again.ended;
  expect(readFileSync(String(restored?.['set_aside'])).includes('Later')).toBe(true);
});
