import { expect, it } from 'vitest';
import { formatOf } from './format.ts';

const NOW = Date.parse('2026-11-20T12:00:00Z');

it.each([
  ['en', '2026-11-20T10:02:00Z', '1 hr 58 min ago'],
  ['pt-BR', '2026-11-20T10:02:00Z', 'há 1 h 58 min'],
  ['en', '2026-11-20T13:30:00Z', 'in 1 hr 30 min'],
  ['en', '2026-11-20T01:30:00Z', '10 hr. ago'],
  ['pt-BR', '2026-11-20T11:58:30Z', 'há 1 min'],
] as const)('in %s, %s is shown as %s', (language, iso, text) => {
  expect(formatOf(language).relative(iso, NOW)).toBe(text);
});
