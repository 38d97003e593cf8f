import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { specification } from '../../../contract/specification.ts';
import { seededRandom } from '../../../kernel/random.ts';
import type { JsonObject, JsonValue } from '../../../kernel/json/json.ts';
import { fieldDetails } from '../../../operate/contract/kind-detail.ts';
import { createParse } from '../../../parse/parse.ts';
import { openSqliteStore } from '../../../store/sqlite/open-sqlite-store.ts';
import { manualClock } from '../../../testing/manual-clock.ts';
import { sampleData } from '../../../testing/sample-data.ts';
import { eventKinds } from '../../../contract/catalogue.ts';
import { verifiedDelivery } from '../../../../test/support/verified-delivery.ts';
import { WITHOUT_DIRECT } from '../../../store/postgres/database/connections/pooler.ts';
import { translate } from './translate.ts';

/** Words that a phrase leaves in English when a part of it is in no catalogue. */
const ENGLISH =
  /(?<!\p{L})(?:an|the|of|with|is|are|or|string|number|object|array|whole|at|from|character)(?!\p{L})/iu;

/** The texts without a translation, or with one that leaves something in English beside what is quoted. */
const untranslated = (texts: Iterable<string>): readonly string[] =>
  [...new Set(texts)].filter((text) => {
    const translated = translate('pt-BR', text);
    return translated === null || ENGLISH.test(translated.replaceAll(/"[^"]*"|'[^']*'|`[^`]*`/gu, ''));
  });

it('a text stays as it is in English, and an unknown one has no translation', () => {
  expect(translate('en', 'anything at all')).toBe('anything at all');
  expect(translate('pt-BR', 'anything at all')).toBeNull();
});

it('names, numbers and phrases within a phrase are kept, written or translated', () => {
  expect(translate('pt-BR', 'expected a whole number up to 9007199254740991, received an empty string')).toBe(
    'espera-se um número inteiro até 9007199254740991, chegou um texto vazio',
  );
  expect(translate('pt-BR', 'expected one of "a", "b", received "c"')).toBe(
    'espera-se um de "a", "b", chegou "c"',
  );
  expect(translate('pt-BR', 'a commit takes 1.3 ms')).toBe('um commit leva 1,3 ms');
  expect(translate('pt-BR', 'The body is not JSON: it ends too early, at line 1, column 9')).toBe(
    'O corpo não é JSON: acaba cedo demais, na linha 1, coluna 9',
  );
});

it('every kind of the specification has a title and a description in Portuguese, and each field a meaning', () => {
  const texts = specification.kinds.flatMap((kind) => [
    kind.title,
    kind.description,
    ...fieldDetails(kind).flatMap(({ description }) => description ?? []),
  ]);
  expect(untranslated(texts)).toEqual([]);
});

it('every problem that the specification finds in a payload has words in Portuguese', () => {
  const wrong: readonly JsonValue[] = [null, '', 'x', -1, 1.5, true, [], {}, Infinity];
  const texts = eventKinds.flatMap((type) => {
    const kind = specification.find('default', type);
    const sample = sampleData(type) as JsonObject;
    return variants(sample, wrong).flatMap((data) =>
      (kind?.issues(data, 50) ?? []).map(({ message }) => message),
    );
  });
  expect(untranslated(texts)).toEqual([]);
});

it.each([
  '',
  '\u0000',
  'x',
  '{"type":',
  '{"type":"charge.updated" "data":1}',
  '[1 2]',
  '{"a":"b',
  '{,}',
  '{"a":1,}',
  '{"a" 1}',
  '{"a":"\n"}',
  '{"a":"\\x"}',
  '{"a":"\\u00"}',
  '{"a":-}',
  '{"a":1.}',
  '{"a":1e}',
  '{} {}',
  '[]',
  '{"data":{}}',
  '{"type":7,"data":{}}',
  '{"type":"","data":{}}',
  '{"type":"a\\u0000b","data":{}}',
  `{"type":"${'a'.repeat(201)}","data":{}}`,
  '{"type":"charge.updated"}',
  '{"type":"charge.updated","data":{}}',
  '{"type":"charge.updated","data":7}',
  '{"type":"unknown.kind","data":{"a":1e400}}',
  `${'['.repeat(70)}${']'.repeat(70)}`,
])('the reason why %j is no event has words in Portuguese', (body) => {
  const parsed = createParse(specification)(verifiedDelivery(body));
  if (parsed.stage !== 'rejected') throw new Error('expected a rejection');
  expect(untranslated([parsed.message, ...parsed.issues.map(({ message }) => message)])).toEqual([]);
});

it('the checks of a store have names and details in Portuguese', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'portaria-translation-'));
  const options = {
    role: 'owner',
    maxQuarantineBytes: 1e6,
    clock: manualClock(),
    random: seededRandom(1),
  } as const;
  for (const path of [join(folder, 'events.db'), ':memory:']) {
    const store = await openSqliteStore({ path, ...options });
    const checks = await store.checks({ integrity: false });
    await store.close();
    // The names of SQLite's settings are the same in every language.
    const names = ['sqlite', 'journal', 'synchronous', 'write-ahead log'];
    // The random name of the folder may contain an English word.
    const texts = checks.flatMap(({ name, detail }) => [name, detail.replaceAll(folder, '/srv')]);
    expect(untranslated(texts.filter((text) => !names.includes(text)))).toEqual([]);
  }
  rmSync(folder, { recursive: true });
});

it.each([
  '12 MiB free: make room',
  '80 MiB wait for a checkpoint: another process holds a long read transaction; find it with `fuser a.db` and end it',
  'a.db (0644) can be read by others: chmod 600 a.db',
  'postgres://db/portaria responds in 0.8 ms',
  '15.4 (at least 14)',
  '13.2: install PostgreSQL 14 or later',
  'on: a commit is on the disk before it is acknowledged',
  "this machine's clock is 9.1 s behind PostgreSQL's: synchronize both machines by NTP",
  '2 processes dispatch from this store',
  WITHOUT_DIRECT,
  '97 of 100 are used: set a larger max_connections, or use a pooler',
  'the oldest number of a transaction is 3.1 million old',
  'the oldest is 61 minutes old: pid 4 (psql) keeps removed rows from being vacuumed; end it',
  'events has 300000 removed rows beside 10: autovacuum is off or too slow; run `vacuum events`, and raise autovacuum_vacuum_cost_limit',
  'standby1 (async) lacks 3000 MiB of the log: it would lose them in a failover; look at its network and disk',
  'none besides this one; grant pg_monitor to see those of other users',
  'east keeps removed rows of 2.5 million transactions from being vacuumed: end the old query there, or switch off hot_standby_feedback',
  "east_slot is not in use and keeps 3 MiB of the log: start what uses it, or run `select pg_drop_replication_slot('east_slot')`",
  "east_slot keeps more of the log than max_slot_wal_keep_size, so its standby may have to be copied again: start what uses it, or run `select pg_drop_replication_slot('east_slot')`",
  '3 of 10 failed',
  'cancelled by loopback',
  'write one of = != after data.a: for example data.status = paid',
])('%j is translated in Portuguese', (text) => {
  expect(untranslated([text])).toEqual([]);
});

/** The sample with each of its members, on two levels, absent or replaced by each of the values. */
function variants(sample: JsonObject, values: readonly JsonValue[]): readonly JsonValue[] {
  const made: JsonValue[] = [...values];
  for (const [name, member] of Object.entries(sample)) {
    const { [name]: _, ...rest } = sample;
    made.push(rest, ...values.map((value) => ({ ...sample, [name]: value })));
    const inner = Array.isArray(member) ? member[0] : member;
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) continue;
    for (const changed of variants(inner as JsonObject, values))
      made.push({ ...sample, [name]: Array.isArray(member) ? [changed] : changed });
  }
  return made;
}
