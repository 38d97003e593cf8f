import { describe, expect, it } from 'vitest';
import { parseIdentifier } from './identifier.ts';
import { eraseIdentifiers } from './erase-payload.ts';
import { identifiersIn } from './identifiers-in.ts';
import { personOf } from './person.ts';
import { withoutHanging } from '../../test/support/without-hanging.ts';

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

describe('a search of a long text', () => {
  it.each([
    ['letters before an @', `${'a'.repeat(600_000)}@`],
    ['dots before an @', `${'a.'.repeat(300_000)}@`],
    ['letters after an @', `a@${'a'.repeat(600_000)}`],
    ['many @', 'a@'.repeat(300_000)],
    ['digits and a percent sign', '1%2'.repeat(200_000)],
  ])('takes time by the length of %s, not by its square', (_, text) => {
    expect(withoutHanging(() => person.findIn(text))).toEqual([]);
  });

  it('takes no more candidates from a list than it has digits: the ledger is asked for each', () => {
    const digits = 32_768;
    const list = Array.from({ length: digits }, (_, at) => String((at * 7919) % 9973).at(-1)).join(' ');
    expect([...identifiersIn(list, false, true)].length).toBeLessThanOrEqual(digits);
  });
});
