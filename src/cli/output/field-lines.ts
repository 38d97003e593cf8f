import { printableLine } from '../../kernel/text/printable.ts';

/** `name  value` lines, the values aligned. */
export function fieldLines(fields: Readonly<Record<string, string | number>>): string {
  const width = Math.max(...Object.keys(fields).map((name) => name.length));
  return Object.entries(fields)
    .map(([name, value]) => `${name.padEnd(width)}  ${printableLine(String(value))}`)
    .join('\n');
}
