import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parseIdentifier } from '../identifier.ts';
import { hashIdentifier, personOf, personsOf } from '../person.ts';
import { searchFiles } from './search-files.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';

const CHUNK = 4 * 1024 * 1024;
const identifiers = ['12345678909', 'ana@example.com', '(11) 98765-4322', '003.456.789-58'].map(
  parseIdentifier,
);

function fileWith(content: string | Buffer): { path: string; name: string } {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'file'), content);
  return { path: join(folder, 'file'), name: 'file' };
}

const search = (content: string | Buffer, values: readonly string[] = []) =>
  searchFiles([fileWith(content)], identifiers, new Set(values))[0];

it.each([
  '"12345678909"',
  '123.456.789-09',
  '1212345678909',
  'ANA@EXAMPLE.COM',
  'ana%40example.com',
  'ana\\u0040example.com',
  '+55 11 98765-4322',
  '{"cpf":345678958}',
])('finds %s between binary bytes', (form) => {
  expect(search(Buffer.concat([Buffer.alloc(100), Buffer.from(form), Buffer.alloc(9)]))).toMatchObject({
    hits: 1,
  });
});

it.each([
  '12345678900',
  'mariana@example.org',
  'mariana@example.com',
  'ana@example.com.br',
  '9911987654322',
  '5345678958',
])('does not take %s for a hit', (text) => {
  expect(search(text)).toMatchObject({ hits: 0 });
});

it('counts a hit at each place around the boundary of a chunk once', () => {
  for (const at of [CHUNK - 20, CHUNK - 11, CHUNK - 5, CHUNK - 1, CHUNK, CHUNK + 3]) {
    const content = Buffer.alloc(CHUNK + 200, ' ');
    content.write('12345678909', at);
    content.write('Ana de Souza', at + 30);
    expect(search(content, ['Ana de Souza'])).toEqual({
      name: 'file',
      bytes: CHUNK + 200,
      hits: 1,
      otherHits: 1,
    });
  }
});

it('counts other erased values as UTF-8 and as JSON', () => {
  const content = 'José Ançã and Jos\\u00e9 An\\u00e7\\u00e3 and Eva';
  expect(search(content, ['José Ançã'])).toMatchObject({ hits: 0, otherHits: 2 });
});

it('searches by hashes for identifiers that only the ledger knows', () => {
  const key = new Uint8Array(32);
  const resumed = personsOf(
    identifiers.map((one) => hashIdentifier(one, key)),
    key,
  );
  const content = Buffer.alloc(CHUNK + 100, ' ');
  content.write('CPF 123.456.789-09', CHUNK - 7);
  expect(searchFiles([fileWith(content)], [], new Set(), resumed)).toMatchObject([{ hits: 1 }]);
});

it.each([
  '123_456_789_09',
  '123,456,789,09',
  'ana@example.com ana+frota@example.org',
  Buffer.from('CPF 123.456.789-09', 'utf16le'),
])('counts the known forms once when an erasure is resumed: %s', (content) => {
  const nobody = personsOf([], new Uint8Array(32));
  expect(searchFiles([fileWith(content)], identifiers, new Set(), nobody)).toMatchObject([{ hits: 1 }]);
  expect(searchFiles([fileWith(content)], identifiers, new Set(), personOf(identifiers))).toMatchObject([
    { hits: 1 },
  ]);
});

it('has no bytes of a missing file', () => {
  expect(searchFiles([{ path: '/nowhere/file', name: 'file' }], identifiers, new Set())).toEqual([
    { name: 'file', bytes: 0, hits: 0, otherHits: 0 },
  ]);
});
