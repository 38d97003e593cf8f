import { describe, expect, test } from 'vitest';
import { createTable, type Column } from './table.ts';

interface Row {
  readonly name: string;
  readonly count: number | null;
}

const columns: readonly Column<Row>[] = [
  { heading: 'name', shrinks: true, value: (row) => row.name },
  { heading: 'count', align: 'right', value: (row) => row.count },
];

describe('a table', () => {
  test('aligns columns under their headings, numbers to the right, without borders', () => {
    const text = createTable(columns, Infinity).page([
      { name: 'a', count: 1 },
      { name: 'a longer one', count: 1000 },
      { name: 'nothing', count: null },
    ]);
    expect(text.split('\n')).toEqual([
      'NAME          COUNT',
      'a                 1',
      'a longer one   1000',
      'nothing',
    ]);
  });

  test('prints no heading on further pages, and never narrows columns', () => {
    const table = createTable(columns, Infinity);
    table.page([{ name: 'a longer one', count: 1 }]);
    expect(table.page([{ name: 'b', count: 2 }])).toBe('b                 2');
    expect(table.page([{ name: 'the longest of them all', count: 3 }])).toBe(
      'the longest of them all      3',
    );
  });

  test('cuts only shrinkable cells when the line is too long', () => {
    const text = createTable(columns, 20).page([{ name: 'much too long for twenty', count: 123 }]);
    const lines = text.split('\n');
    expect(lines[1]).toMatch(/^much too.*… +123$/);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(20);
  });

  test('leaves out optional columns, the last one first, before it cuts cells', () => {
    const wide: readonly Column<Row>[] = [
      ...columns,
      { heading: 'half', optional: true, value: ({ count }) => (count ?? 0) / 2 },
      { heading: 'double', optional: true, value: ({ count }) => (count ?? 0) * 2 },
    ];
    const page = (width: number) =>
      createTable(wide, width)
        .page([{ name: 'a', count: 4 }])
        .split('\n')[0];
    expect(page(25)).toBe('NAME  COUNT  HALF  DOUBLE');
    expect(page(24)).toBe('NAME  COUNT  HALF');
    expect(page(12)).toBe('NAME  COUNT');
  });

  test('goes on in further lines, between words, in a column that wraps', () => {
    const wrapping = [columns[1]!, { ...columns[0]!, shrinks: undefined, wraps: true }] as Column<Row>[];
    const lines = createTable(wrapping, 28)
      .page([{ name: 'is taken by /srv/a/long/path: name another one', count: 1 }])
      .split('\n');
    expect(lines.slice(1)).toEqual([
      '    1  is taken by',
      '       /srv/a/long/path:',
      '       name another one',
    ]);
    const narrow = createTable(wrapping, 12).page([{ name: 'of /srv/a/long/path', count: 1 }]);
    expect(narrow, 'a word stays whole').toContain('/srv/a/long/path');
  });

  test('overflows the line rather than shrink a column below its minimum', () => {
    const text = createTable(columns, 5).page([{ name: 'long enough', count: 123_456 }]);
    expect(text).toContain('long en…');
    expect(text).toContain('123456');
  });

  test('escapes line breaks and control characters in a cell', () => {
    const text = createTable(columns, Infinity).page([{ name: 'a\nb\t\u001b[31mc', count: 1 }]);
    expect(text.split('\n')).toHaveLength(2);
    expect(text).toContain(String.raw`a\nb\t\u001b[31mc`);
  });

  test('colours cells by their tone, without a change of the alignment', () => {
    const toned: readonly Column<Row>[] = [
      { ...columns[0]!, tone: ({ count }) => (count === null ? 'alarm' : null) },
      columns[1]!,
    ];
    const rows = [
      { name: 'dead\u001b[0m', count: null },
      { name: 'fine', count: 12 },
    ];
    const text = createTable(toned, Infinity, true).page(rows);
    expect(text).toContain('\u001b[31mdead\\u001b[0m\u001b[39m');
    expect(text.replaceAll(/\u001b\[\d+m/g, '')).toBe(createTable(toned, Infinity).page(rows));
    // Only the colours of the table itself are control characters.
    expect(text.match(/\u001b/g)).toHaveLength(2);
  });

  test('keeps the end of a cell that is cut at its start', () => {
    const kinds: readonly Column<Row>[] = [{ ...columns[0]!, shrinks: 'start' }, columns[1]!];
    const text = createTable(kinds, 20).page([{ name: 'traffic-violation.created', count: 1 }]);
    expect(text.split('\n')[1]).toBe('…tion.created      1');
  });

  test('cuts the rest of a long text before it leaves out a column', () => {
    const wide: readonly Column<Row>[] = [
      { heading: 'name', shrinks: true, enough: 10, value: (row) => row.name },
      { heading: 'count', optional: true, value: (row) => row.count },
    ];
    const heading = (width: number) =>
      createTable(wide, width)
        .page([{ name: 'a text that never ends', count: 1 }])
        .split('\n')[0];
    expect(heading(17)).toMatch(/^NAME +COUNT$/);
    expect(heading(16)).toBe('NAME');
  });
});
