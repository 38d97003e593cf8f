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
});
