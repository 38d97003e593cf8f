/** Versions of events as commands print them. */
import { afterEach, expect, test, vi } from 'vitest';
import { readableVersion, versionInFull } from './format.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

test.each([
  ['2026-11-20T10:00:00.000000000Z/1', '2026-11-20 07:00:00-03'],
  ['2026-11-20T10:00:00.120000000Z/0', '2026-11-20 07:00:00.12-03'],
  ['2026-11-09T18:10:02.000000001Z/1/1/002', '2026-11-09 15:10:02.000000001-03'],
  ['2026-11-20T10:00:00.000000000Z/1/2026-11-20T11:00:00.000000000Z', '2026-11-20 07:00:00-03'],
  ['deleted', 'deleted'],
  ['deleted/2026-11-20T10:00:00.000000000Z/1', 'deleted 2026-11-20 07:00:00-03'],
  ['0000000000000042', '42'],
  ['deletedness', 'deletedness'],
  ['v2.1', 'v2.1'],
  [null, ''],
])('a list shows the version %j as %j', (version, text) => {
  vi.stubEnv('TZ', 'America/Sao_Paulo');
  expect(readableVersion(version)).toBe(text);
});

test('the page of one record has the version as it is stored, too', () => {
  vi.stubEnv('TZ', 'UTC');
  expect(versionInFull('2026-11-20T10:00:00.000000000Z/1')).toBe(
    '2026-11-20 10:00:00Z (2026-11-20T10:00:00.000000000Z/1)',
  );
  expect(versionInFull('v2.1')).toBe('v2.1');
  expect(versionInFull(null)).toBe('none');
});
