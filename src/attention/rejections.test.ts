import { describe, expect, test } from 'vitest';
import type { RejectionCount } from '../store/monitoring.ts';
import { findRisingRejections } from './rejections.ts';

const HOUR_MS = 3_600_000;
const now = Date.parse('2026-03-10T12:30:00Z');
const hour = Math.floor(now / HOUR_MS);
const longAgo = now - 30 * 24 * HOUR_MS;

const of = (hours: number, rejections: number, other: Partial<RejectionCount> = {}): RejectionCount => ({
  ...{ source: 'default', hour: hour - hours, rejections, lastReason: null, clockSeconds: null },
  ...other,
});
const sources = new Map([
  ['default', { secretsFrom: 'PORTARIA_SECRETS_FILE' }],
  ['billing', { secretsFrom: 'BILLING_SECRETS' }],
]);
const found = (counts: readonly RejectionCount[], createdAt = longAgo) =>
  findRisingRejections(counts, createdAt, now, sources);
const rising = (counts: readonly RejectionCount[], createdAt?: number) =>
  found(counts, createdAt).map(({ of: source }) => source);

describe('rejections', () => {
  test('rise when there were none before', () => {
    expect(rising([of(0, 4), of(1, 5)])).toEqual([]);
    expect(rising([of(0, 5), of(1, 5), of(0, 9, { source: 'billing' })])).toEqual(['default']);
  });

  test('to an address that is none are no rise', () => {
    expect(rising([of(0, 900, { source: 'unknown', lastReason: 'unknown-path' })])).toEqual([]);
  });

  test('do not rise when they are usual', () => {
    const usual = Array.from({ length: 168 }, (_, at) => of(at + 2, 10));
    expect(rising([...usual, of(0, 30), of(1, 40)])).toEqual([]);
    expect(rising([...usual, of(0, 40), of(1, 40)])).toEqual(['default']);
  });

  test('of a new store are compared with its few hours', () => {
    const createdAt = (hour - 5) * HOUR_MS;
    expect(rising([of(0, 20), of(2, 30), of(3, 30)], createdAt)).toEqual([]);
    expect(rising([of(0, 20), of(2, 3)], createdAt)).toEqual(['default']);
  });
});

describe('given the reason of the last rejection', () => {
  const texts = (lastReason: string | null, clockSeconds: number | null = null, source = 'default') =>
    found([of(1, 90, { source, lastReason: 'missing' }), of(0, 1, { source, lastReason, clockSeconds })])[0];

  test('a wrong secret leads to the setting that has the secrets of this source', () => {
    expect(texts('mismatch')).toMatchObject({
      summary: expect.stringContaining('; lately because its signature or token did not match (mismatch)'),
      remedy: expect.stringContaining('while it rotates, PORTARIA_SECRETS_FILE may hold'),
    });
    expect(texts('mismatch', null, 'billing')?.remedy).toContain('BILLING_SECRETS may hold');
    expect(texts('mismatch', null, 'gone')?.remedy).toContain('the setting with its secrets may hold');
  });

  test('a wrong clock has its difference, and no word of secrets', () => {
    const [behind, ahead] = [texts('too-old', 4_000), texts('too-new', 301)];
    expect(behind?.summary).toContain('the sender’s time was 4000 seconds behind this clock (too-old)');
    expect(ahead?.summary).toContain('the sender’s time was 301 seconds ahead of this clock (too-new)');
    expect(ahead?.remedy).toMatch(/^set both clocks by NTP(?!.*SECRETS)/u);
  });

  test.each(['missing', 'malformed', 'repeated'])('a header that is %s leads to the log', (reason) => {
    expect(texts(reason)?.remedy).toContain(
      'by a secret of PORTARIA_SECRETS_FILE, in the header that the log names',
    );
  });

  test('a count of an earlier version has none', () => {
    expect(texts(null)?.summary).toMatch(/usually none$/u);
  });
});
