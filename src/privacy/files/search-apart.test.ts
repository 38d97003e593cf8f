import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { hashIdentifier } from '../person.ts';
import { searchApart } from './search-apart.ts';

const folder = mkdtempSync(join(tmpdir(), 'portaria-search-'));
afterAll(() => rmSync(folder, { recursive: true }));

const cpf = { type: 'cpf', value: '12345678909' } as const;

it('finds identifiers and erased values in the bytes of files, in another process', async () => {
  const path = join(folder, 'a.db');
  writeFileSync(path, 'a 123.456.789-09 b 98765432100 c Ana de Souza Prado');
  const key = new Uint8Array(32).fill(7);
  const found = await searchApart({
    files: [{ path, name: 'a.db' }],
    identifiers: [cpf],
    values: ['Ana de Souza Prado'],
    resumed: {
      identifiers: [hashIdentifier({ type: 'cpf', value: '98765432100' }, key)],
      key: Buffer.from(key).toString('base64'),
    },
  });
  expect(found).toEqual([{ name: 'a.db', bytes: 51, hits: 2, otherHits: 1 }]);
});

it('ends with the reason of who ended it', async () => {
  const search = { files: [{ path: folder, name: 'a.db' }], identifiers: [cpf], values: [], resumed: null };
  const reason = new Error('the lock is lost');
  await expect(searchApart(search, AbortSignal.abort(reason))).rejects.toBe(reason);
});

it('says that files could not be searched, and names neither them nor the person', async () => {
  const search = { files: [{ path: folder, name: 'a.db' }], identifiers: [cpf], values: [], resumed: null };
  await expect(searchApart(search)).rejects.toThrow('The files of the database could not be searched');
});
