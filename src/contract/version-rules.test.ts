import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { catalogue, eventKinds, type EventKind } from './catalogue.ts';
import type { JsonObject } from '../kernel/json/json.ts';
import { parsedEvent } from '../../test/support/verified-delivery.ts';
import { sampleData } from '../testing/sample-data.ts';
import { versionOf } from '../identify/identify.ts';
import { specification } from './specification.ts';

function version(type: string, changes: JsonObject = {}): string | null {
  const sample = type in catalogue ? (sampleData(type as EventKind) as JsonObject) : {};
  const event = parsedEvent(JSON.stringify({ type, data: { ...sample, ...changes } }));
  return versionOf(event, specification);
}

/** The field that orders each kind, by the specification; null where there is none. */
function orderingField(kind: EventKind): string | null {
  if (kind.includes('.login.')) return 'occurred_at';
  if (/^antt-violation\.(created|updated)$/.test(kind)) return 'synced_at';
  if (/^(traffic-violation|charge)\.(created|updated)$/.test(kind)) return null;
  return 'updated_at';
}

const versioned = eventKinds.filter((kind) => orderingField(kind) !== null);

function at(kind: EventKind, instant: string | null, changes: JsonObject = {}): string | null {
  return version(kind, { [orderingField(kind) ?? '']: instant, ...changes });
}

/** Compares strings; `toBeLessThan` takes numbers only. */
function order(...versions: readonly (string | null)[]): readonly (string | null)[] {
  return [...versions].sort((one, other) => ((one ?? '') < (other ?? '') ? -1 : 1));
}

function assertAscending(...versions: readonly (string | null)[]): void {
  expect(versions).not.toContain(null);
  expect(new Set(versions).size).toBe(versions.length);
  expect(order(...versions.toReversed())).toEqual(versions);
}

describe('instants', () => {
  test.each(versioned)('%s is ordered by its instant, not by its spelling', (kind) => {
    assertAscending(
      at(kind, '2026-05-01T09:59:59Z'),
      at(kind, '2026-05-01T12:00:00+02:00'),
      at(kind, '2026-05-01T10:00:00.1Z'),
      at(kind, '2026-05-01T10:00:00.10001Z'),
      at(kind, '2026-05-01T10:00:00.2Z'),
      at(kind, '2026-05-01T07:00:01-03:00'),
    );
  });

  test.each(versioned)('%s has one version for all spellings of an instant', (kind) => {
    const spellings = ['2026-05-01T10:00:00Z', '2026-05-01T10:00:00.000Z', '2026-05-01T07:00:00-03:00'];
    expect(new Set(spellings.map((spelling) => at(kind, spelling))).size).toBe(1);
  });

  const ordinary = versioned.filter((kind) => kind !== 'console-user.deleted');
  test.each(ordinary)('%s has no version without its instant', (kind) => {
    expect(at(kind, null)).toBeNull();
  });

  test('order any two versions like their instants', () => {
    const instant = fc.date({
      min: new Date('1990-01-01'),
      max: new Date('2090-01-01'),
      noInvalidDate: true,
    });
    const offset = fc.integer({ min: -14 * 60, max: 14 * 60 });
    fc.assert(
      fc.property(instant, offset, instant, offset, (one, oneOffset, other, otherOffset) => {
        const first = at('company.updated', written(one, oneOffset)) ?? '';
        const second = at('company.updated', written(other, otherOffset)) ?? '';
        expect(Math.sign(first < second ? -1 : Number(first > second))).toBe(
          Math.sign(one.getTime() - other.getTime()),
        );
      }),
    );
  });
});

describe('ties', () => {
  const tie = '2026-05-01T10:00:00Z';

  test('created comes before updated', () => {
    for (const record of [
      'company',
      'antt-violation',
      'antt-violation.ticket',
      'charge.payment-slip',
    ] as const)
      assertAscending(at(`${record}.created`, tie), at(`${record}.updated`, tie));
  });

  test('a deletion of a console user comes last, at any time', () => {
    assertAscending(
      at('console-user.created', tie),
      at('console-user.updated', tie),
      at('console-user.updated', '9999-12-31T23:59:59Z'),
      at('console-user.deleted', null),
      at('console-user.deleted', '2020-01-01T00:00:00Z'),
      at('console-user.deleted', tie),
    );
  });

  test('all updates of a company at one instant have one version', () => {
    const kinds = ['company.updated', 'company.certificate.updated', 'company.sne.updated'] as const;
    expect(new Set(kinds.map((kind) => at(kind, tie))).size).toBe(1);
  });

  test('the signing of a document comes after other changes of the indication at that instant', () => {
    const kind = 'traffic-violation.indication.updated';
    assertAscending(
      at('traffic-violation.indication.created', tie, { document_signed_at: null }),
      at(kind, tie, { document_signed_at: null }),
      at(kind, tie, { document_signed_at: '2026-05-01T09:00:00Z' }),
      at(kind, tie, { document_signed_at: '2026-05-01T10:00:00+00:00' }),
    );
  });

  test.each(['company', 'user'] as const)('a login of a %s orders start, attempts and end', (owner) => {
    const step = `${owner}.login.step.updated` as const;
    assertAscending(
      at(`${owner}.login.disconnected`, tie),
      at(`${owner}.login.started`, tie, { attempt: 1 }),
      at(step, tie, { step: 'username', attempt: 1 }),
      at(step, tie, { step: 'password', attempt: 1 }),
      at(step, tie, { step: 'password', attempt: 3 }),
      at(step, tie, { step: 'otp', attempt: 1 }),
      at(step, tie, { step: 'otp', attempt: 5 }),
      at(step, tie, { step: 'otp', attempt: 10 }),
      at(`${owner}.login.succeeded`, tie, { attempt: 1 }),
    );
  });

  test('the end of a session comes before everything else of its instant, and after everything before it', () => {
    const owner = fc.constantFrom('company', 'user');
    const signal = fc.constantFrom('started', 'step.updated', 'succeeded', 'connected');
    const instant = fc.integer({ min: Date.UTC(1990, 0), max: Date.UTC(2090, 0) });
    const step = fc.constantFrom(null, 'credentials', 'username', 'password', 'certificate', 'otp');
    const atMs = (kind: string, ms: number, changes: JsonObject = {}) =>
      version(kind, { occurred_at: new Date(ms).toISOString(), ...changes }) ?? '';
    fc.assert(
      fc.property(owner, signal, instant, step, fc.nat(6), (of, other, ms, at, attempt) => {
        const ended = atMs(`${of}.login.disconnected`, ms);
        const changes = { step: at, attempt };
        expect(ended < atMs(`${of}.login.${other}`, ms, changes)).toBe(true);
        expect(ended > atMs(`${of}.login.${other}`, ms - 1, changes)).toBe(true);
      }),
    );
  });

  test('all ends of an attempt and the begin of its session have one version at one instant', () => {
    const ends = ['succeeded', 'failed', 'connected'] as const;
    expect(new Set(ends.map((end) => at(`company.login.${end}`, tie))).size).toBe(1);
  });

  test('an impossible number of attempts still orders', () => {
    const kind = 'company.login.step.updated';
    const versions = [0, 999, 1_000, Number.MAX_SAFE_INTEGER].map((attempt) => at(kind, tie, { attempt }));
    expect(order(...versions)).toEqual(versions);
    expect(new Set(versions.map((text) => text?.length)).size).toBe(1);
  });
});

describe('no version', () => {
  test.each(eventKinds.filter((kind) => orderingField(kind) === null))('%s has none', (kind) => {
    const instant = '2026-05-01T10:00:00Z';
    const data = { updated_at: instant, synced_at: instant, occurred_at: instant };
    expect(version(kind, data)).toBeNull();
  });

  test('an unrecognized kind has none, with any data', () => {
    expect(version('user.login.failed', { id: 1, occurred_at: '2026-05-01T10:00:00Z' })).toBeNull();
  });
});

/** Writes an instant as local time, `offset` minutes east of UTC. */
function written(instant: Date, offset: number): string {
  const local = new Date(instant.getTime() + offset * 60_000).toISOString().slice(0, -1);
  const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60];
  const two = (part: number): string => String(part).padStart(2, '0');
  return `${local}${offset < 0 ? '-' : '+'}${two(hours)}:${two(minutes)}`;
}
