import { describe, expect, it } from 'vitest';
import { catalogue, eventKinds, isEventKind } from '../../src/contract/catalogue.ts';
import { specification } from '../../src/contract/specification.ts';
import { subjectName } from '../../src/event/subject.ts';
import { createIdentify } from '../../src/identify/identify.ts';
import { canonicalJson } from '../../src/kernel/json/canonical-json.ts';
import {
  fixture,
  fixtureFiles,
  fixtures,
  scenario,
  scenarioLines,
  scenarioNames,
} from '../support/webhooks/fixtures.ts';
import { issuesOf, placedFields } from '../support/webhooks/payload-fields.ts';
import { barcodeFits, pixFits } from '../support/webhooks/payment-codes.ts';
import { parsedEvent } from '../support/verified-delivery.ts';

describe('fixtures/events', () => {
  it('has one file for each kind, and no other', () => {
    expect(fixtureFiles('events')).toEqual(eventKinds.map((kind) => `${kind}.json`).sort());
  });

  it.each(eventKinds)('%s matches the contract, which changes nothing in it', (kind) => {
    const { type, data } = fixture(kind);
    expect(type).toBe(kind);
    expect(issuesOf(kind, data)).toEqual([]);
    expect(catalogue[kind].schema.parse(data)).toEqual(data);
    expect(specification.find('default', kind)?.hasValidCheckDigits(data)).toBe(true);
  });

  it.each(eventKinds)('%s contains every documented field and no other', (kind) => {
    const { data } = fixture(kind);
    const documented = placedFields(kind).filter(({ path }) => path.length === 1);
    expect(Object.keys(data).sort()).toEqual(documented.map(({ field }) => field.name).sort());
  });

  it('has a CNPJ with letters among its tax ids', () => {
    const taxIds = fixtures().map(({ data }) => valueAt(data, ['tax_id']));
    expect(taxIds).toContain('12ABC34501DE35');
    expect(taxIds).toContain('11222333000181');
  });

  it('has barcodes and PIX codes that a bank would accept', () => {
    const codes = (name: string) =>
      fixtures().flatMap(({ data }) => (typeof data[name] === 'string' ? [data[name]] : []));
    expect(codes('barcode')).toHaveLength(3);
    expect(codes('barcode').filter((code) => !barcodeFits(code))).toEqual([]);
    expect(codes('pix')).toHaveLength(2);
    expect(codes('pix').filter((code) => !pixFits(code))).toEqual([]);
  });
});

describe('fixtures/scenarios', () => {
  it('has the scenarios of the README, each with its shuffled variant', () => {
    expect(scenarioNames()).toEqual([
      'indication-expired',
      'indication-refused',
      'indication-signed',
      'login-failing-at-otp',
      'login-refused-password-and-two-codes',
      'login-session-expiry-and-reconnection',
      'login-while-connected',
      'slip-issued',
      'slip-rejected',
      'sne-sign-up',
      'user-login',
    ]);
    const files = scenarioNames().flatMap((name) => [`${name}.ndjson`, `${name}.shuffled.ndjson`]);
    expect(fixtureFiles('scenarios')).toEqual(files.sort());
  });

  it.each(scenarioNames())('%s matches the contract', (name) => {
    for (const { type, data } of scenario(name)) {
      if (!isEventKind(type)) throw new Error(`${type} is not in the contract`);
      expect(issuesOf(type, data)).toEqual([]);
      expect(specification.find('default', type)?.hasValidCheckDigits(data)).toBe(true);
    }
  });

  it.each(scenarioNames())('%s is in order, with a version for each event of a subject', (name) => {
    const latest = new Map<string, string>();
    for (const line of scenarioLines(name)) {
      const { subject, version } = createIdentify(specification, (id) => id)(parsedEvent(line));
      const key = subjectName(subject);
      expect((version ?? '') > (latest.get(key) ?? ''), `${key} at ${String(version)}`).toBe(true);
      latest.set(key, version ?? '');
    }
  });

  it.each(scenarioNames())('%s.shuffled has the same events in another order, some of them twice', (name) => {
    const ordered = scenario(name).map((event) => canonicalJson({ ...event }));
    const shuffled = scenario(`${name}.shuffled`).map((event) => canonicalJson({ ...event }));
    expect([...new Set(shuffled)].sort()).toEqual([...ordered].sort());
    expect(shuffled.length).toBeGreaterThan(ordered.length);
    expect([...new Set(shuffled)]).not.toEqual(ordered);
    // Repeats are spelled differently: only their content is equal.
    expect(new Set(scenarioLines(`${name}.shuffled`)).size).toBe(shuffled.length);
  });
});

describe('fixtures as a whole', () => {
  it('contain a value for every documented field', () => {
    const shown = new Set<string>();
    for (const { type, data } of [...fixtures(), ...scenarioNames().flatMap(scenario)]) {
      if (!isEventKind(type)) continue;
      for (const { path } of placedFields(type)) {
        if ((valueAt(data, path) ?? null) !== null) shown.add(`${catalogue[type].family} ${path.join('.')}`);
      }
    }
    const documented = eventKinds.flatMap((kind) =>
      placedFields(kind).map(({ path }) => `${catalogue[kind].family} ${path.join('.')}`),
    );
    expect(documented.filter((field) => !shown.has(field))).toEqual([]);
  });
});

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce((inner, name) => (inner as Record<string, unknown> | null | undefined)?.[name], value);
}
