import { describe, expect, it } from 'vitest';
import { parseIdentifier } from './identifier.ts';
import { eraseIdentifiers } from './erase-payload.ts';
import { hashIdentifier, personOf, personsOf } from './person.ts';
import { startCpuTime } from '../../test/support/cpu-time.ts';

const identifiers = [
  '529.982.247-25',
  'ana@example.com',
  "o'hara@example.com",
  '_rui@example.com',
  '11987654321',
].map(parseIdentifier);
const person = personOf(identifiers);
const erased = (text: string): string => eraseIdentifiers(text, person);

describe('an identifier in a text', () => {
  it.each([
    '529_982_247_25',
    '529,982,247,25',
    '529·982·247·25',
    '529.982.247%2D25',
    '529%20982%20247%2025',
    '529\u200b982\u200b247\u200b25',
    '529\u00ad982247\u00ad25',
    '５２９.９８２.２４７-２５',
    '٥٢٩٩٨٢٢٤٧٢٥',
    '५२९.९८२.२४७-२५',
    '\u{1106b}\u{11068}\u{1106f}.982.247-25',
    'ana＠example.com',
    'ANA@EXAMPLE.COM',
    'ana+frota@example.com',
    "o'hara@example.com",
    '_rui@example.com',
    '+55 (11) 9 8765-4321',
  ])('is erased as %s', (form) => {
    expect(erased(`é: ${form}; 10`)).toBe('é: [erased]; 10');
    expect(person.canBeIn(JSON.stringify({ form }))).toBe(true);
  });

  it.each(['_ana@example.com', 'mariana@example.com', 'hara@example.com', 'rui@example.com', '1529982247'])(
    'does not include %s',
    (text) => {
      expect(erased(text)).toBe(text);
    },
  );

  it('is erased at every place of a long run of digits', () => {
    const digits = '7'.repeat(600);
    for (const at of [0, 1, 300, 599, 600])
      expect(erased(`${digits.slice(0, at)}52998224725${digits.slice(at)}`)).toBe(
        `${digits.slice(0, at)}[erased]${digits.slice(at)}`,
      );
    expect(erased(`${'1 2 3 '.repeat(300)} 529.982.247-25`)).toMatch(/ \[erased\]$/);
  });
});

describe('the time of a search', () => {
  const key = new Uint8Array(32);
  const ledger = identifiers.map((one) => hashIdentifier(one, key));

  it.each([
    ['letters before an @', `${'a'.repeat(60_000)}@`],
    ['dots before an @', `${'a.'.repeat(30_000)}@`],
    ['letters after an @', `a@${'a'.repeat(60_000)}`],
    ['many @', 'a@'.repeat(30_000)],
    ['digits and a percent sign', '1%2'.repeat(20_000)],
  ])('grows with the length of %s, not with its square', (_, text) => {
    const elapsed = startCpuTime();
    expect(person.findIn(text)).toEqual([]);
    expect(elapsed()).toBeLessThan(2000);
  });

  it('asks the ledger a bounded number of questions for each digit of a list', () => {
    const list = Array.from({ length: 32_768 }, (_, at) => String((at * 7919) % 9973).at(-1)).join(' ');
    const elapsed = startCpuTime();
    personsOf(ledger, key).findIn(list);
    expect(elapsed()).toBeLessThan(2000);
  });
});
