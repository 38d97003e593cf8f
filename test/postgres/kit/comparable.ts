/** What commands, pages and the API print, without what differs between any two stores. */

/** Sizes, durations, keys, what depends on them, and processes, which only PostgreSQL counts. */
const ownFields = new Set(
  'bytes bytes_searched duration_ms files hash key process processes public_key signature'.split(' '),
);

/** Ids and signed texts of plans are random. */
const randomTexts = new Set(['id', 'plan']);
const RANDOM = /^[\w-]{16}$|^[\w-]{100,}\.[\w-]{43}$/u;

/** @param storeId part of the ids of events */
export function comparable(text: string, storeId: string): string {
  return (
    text
      // Numbers of events on PostgreSQL may have gaps.
      .replaceAll(new RegExp(`\\b${storeId}-\\d+`, 'gu'), '<event>')
      .replaceAll(new RegExp(`\\b${storeId}\\b`, 'gu'), '<store>')
      // PostgreSQL takes times from its own clock, SQLite from the test's.
      .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:[\d.]+Z|\d\d?:\d\d:\d\d [AP]M/gu, '<time>')
      .replaceAll(/\d+ sec\. ago/gu, 'now')
      .replaceAll('First now, last now', 'Seen now')
  );
}

export function comparableJson(text: string, storeId: string): unknown {
  return JSON.parse(comparable(text, storeId), (name, value: unknown) => {
    if (ownFields.has(name)) return undefined;
    return randomTexts.has(name) && typeof value === 'string' && RANDOM.test(value) ? '<random>' : value;
  });
}
