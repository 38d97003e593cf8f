/** A person is found however an operator and a sender spell the same identifier. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { searchFiles } from './files/search-files.ts';
import { parseIdentifier } from './identifier.ts';
import { hashIdentifier, personOf, personsOf } from './person.ts';

const tables: Readonly<Record<string, readonly string[]>> = {
  'a CPF': [
    '123.456.789-09',
    '12345678909',
    '123 456 789 09',
    '123.456.789/09',
    '123 456 789-09',
    '123.456.789–09',
    '123-456-789-09',
  ],
  'a CNPJ of digits': [
    '11.222.333/0001-81',
    '11222333000181',
    '11 222 333 0001 81',
    '11.222.333.0001-81',
    '11222333/0001-81',
    '11.222.333/0001–81',
  ],
  'a CNPJ with letters': [
    '12.ABC.345/01DE-35',
    '12ABC34501DE35',
    '12.abc.345/01de-35',
    '12 ABC 345 01DE 35',
    '12.ABC.345.01DE-35',
    '12.ABC.345.01DE.35',
    '12ABC345/01DE-35',
  ],
  'a mobile phone': [
    '11987654321',
    '(11) 98765-4321',
    '11 9 8765-4321',
    '11.98765.4321',
    '011 98765-4321',
    '0xx11 98765-4321',
    '(0xx11) 98765-4321',
    '0 XX 11 98765 4321',
    '0 15 11 98765-4321',
    '+55 11 98765-4321',
    '+5511987654321',
    '+55 (011) 98765-4321',
    '+55 (0xx11) 98765-4321',
    '0055 11 98765-4321',
    '5511987654321',
    '55 11 98765–4321',
    '1187654321',
    '(11) 8765-4321',
    '+55 11 8765-4321',
    '551187654321',
  ],
  'a phone of a line': [
    '1133334444',
    '(11) 3333-4444',
    '+55 11 3333-4444',
    '0xx11 3333-4444',
    '551133334444',
  ],
};

const key = new Uint8Array(32);

describe.each(Object.entries(tables))('%s', (_what, spellings) => {
  it.each(spellings)('written as %s is found in each spelling', (given) => {
    const identifier = parseIdentifier(given);
    const known = personsOf([hashIdentifier(identifier, key)], key);
    const file = join(temporaryFolder(), 'file');
    for (const stored of spellings) {
      const text = `"${stored}"`;
      expect(personOf([identifier]).findIn(text), stored).toHaveLength(1);
      expect(personOf([identifier]).canBeIn(text), stored).toBe(true);
      expect(known.findIn(text), stored).toHaveLength(1);
      writeFileSync(file, text);
      const [searched] = searchFiles([{ path: file, name: 'file' }], [identifier], new Set());
      expect(searched?.hits, stored).toBe(1);
    }
  });
});

it('a mobile phone is found in the name of a messenger, without its ninth digit, and as a number', () => {
  const person = personOf([parseIdentifier('11987654321')]);
  expect(person.findIn('551187654321@s.whatsapp.net')).toHaveLength(1);
  expect(person.isNumber(551187654321)).toBe(true);
  expect(personOf([parseIdentifier('(11) 8765-4321')]).isNumber(11987654321)).toBe(true);
});

it.each(['1133334444', '1187654322', '2187654321', '551187654321000', '91187654321'])(
  'another phone is not taken for it: %s',
  (other) => {
    expect(personOf([parseIdentifier('11987654321')]).findIn(other)).toEqual([]);
  },
);

it('seconds since 1970 are no phone without its ninth digit', () => {
  const person = personOf([parseIdentifier('17964323688')]);
  expect(person.isNumber(1764323688)).toBe(false);
  expect(person.findIn('t=1764323688,v1=aa')).toEqual([]);
  expect(person.findIn('(17) 6432-3688')).toHaveLength(1);
  expect(person.isNumber(551764323688)).toBe(true);
});

it('a phone without its area code is of many people, and refused', () => {
  expect(() => parseIdentifier('phone:99990123')).toThrow('is not a phone');
  expect(parseIdentifier('phone:+4712345678')).toEqual({ type: 'phone', value: '4712345678' });
});
