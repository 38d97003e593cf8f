import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { verifiedDelivery } from '../../../test/support/verified-delivery.ts';
import { createParse } from '../../parse/parse.ts';
import { createIdentify } from '../../identify/identify.ts';
import { openSet } from '../../contract/field/schemas.ts';
import type { Contract } from '../../contract/contract.ts';
import type { JsonObject } from '../../kernel/json/json.ts';
import { sampleData } from '../../testing/sample-data.ts';
import { defineHandler } from '../define/handler.ts';
import { defineMachine } from '../define/machine.ts';
import { createRegistry } from '../load/registry.ts';
import { extendContract } from './extend-contract.ts';
import { defineKind, type KindDefinition } from './kind-definition.ts';
import { defineSource, type SourceDefinition } from './source-definition.ts';

const archived = defineKind('company.archived', {
  schema: z.object({
    id: z.int(),
    archived_at: z.string(),
    contact: z.string().nullish(),
    reason: openSet(['sold', 'closed']).nullish(),
    owner: z.object({ name: z.string(), role: z.string() }).nullish(),
    branches: z.array(z.object({ city: z.string(), manager: z.string() })).nullish(),
  }),
  subject: { family: 'company', id: (data) => data.id },
  version: (data) => data.archived_at,
  personal: ['contact', 'owner.name', 'branches.manager'],
});

const patched = defineKind('company.updated', {
  schema: z.object({
    fleet_size: z.int(),
    sne: z.object({ reason: z.string().nullish() }).nullish(),
  }),
  personal: ['fleet_size'],
});

const ordered = defineKind('ordered', { schema: z.object({ id: z.string(), total: z.number() }) });
const shop = defineSource('shop', {
  envelope: { type: 'event.name', data: 'event.payload' },
  kinds: [ordered],
});

function contract(kinds: readonly KindDefinition[], sources: readonly SourceDefinition[] = []): Contract {
  return extendContract({
    kinds: kinds.map((definition) => ({ definition, file: 'kinds.ts' })),
    sources: sources.map((definition) => ({ definition, file: 'sources.ts' })),
  });
}

function receive(known: Contract, body: unknown, source = 'default', headers: Record<string, string> = {}) {
  const parsed = createParse(known)(verifiedDelivery(JSON.stringify(body), { source, headers }));
  if (parsed.stage === 'rejected') return { rejected: parsed.issues.map((issue) => issue.message), parsed };
  const { subject, version } = createIdentify(known, (id) => id)(parsed);
  return { subject, version, flags: parsed.flags, recognized: parsed.recognized, data: parsed.data };
}

const sent = { id: 7, archived_at: '2026-11-09T12:00:00Z', contact: 'Ana', reason: 'sold' };

describe('a custom kind', () => {
  const known = contract([archived]);

  it('is checked by its schema, and its enumerations may grow', () => {
    expect(receive(known, { type: 'company.archived', data: { ...sent, id: '7' } }).rejected).toHaveLength(1);
    expect(receive(known, { type: 'company.archived', data: { ...sent, reason: 'moved' } }).flags).toEqual([
      'unknown-value',
    ]);
  });

  it('masks its personal and undeclared fields, also in lists', () => {
    const data = {
      ...sent,
      owner: { name: 'Ana', role: 'boss' },
      branches: [{ city: 'Recife', manager: 'Bia', phone: '1' }],
      later: 'secret',
    };
    expect(known.mask('default', 'company.archived', data)).toEqual({
      ...sent,
      contact: '***',
      owner: { name: '***', role: 'boss' },
      branches: [{ city: 'Recife', manager: '***', phone: '***' }],
      later: '***',
    });
    expect(known.personalNames).toContain('manager');
  });

  const versioned = (family: string | undefined, version: unknown) => {
    const kind = defineKind('counted', {
      schema: z.object({}),
      ...(family !== undefined && { subject: { family } }),
      version: () => version as string,
    });
    return receive(contract([kind]), { type: 'counted', data: {} });
  };

  it('orders by instants, Dates and whole numbers', () => {
    const versions = [9, 10, new Date(0), '2026-11-09T09:00:00-03:00', '', null, undefined].map(
      (version) => versioned(undefined, version).version,
    );
    expect(versions).toEqual([
      '0000000000000009',
      '0000000000000010',
      '1970-01-01T00:00:00.000000000Z/1',
      '2026-11-09T12:00:00.000000000Z/1',
      null,
      null,
      null,
    ]);
  });

  it('goes to quarantine with a string that is no instant: it would sort above every instant', () => {
    const problem =
      'version of counted returned a string that is not an instant: return ISO 8601 such as 2026-11-09T12:00:00Z, a whole number, or null without a version';
    for (const text of ['yesterday', 'Ana', '9'])
      expect(versioned('company', text).rejected).toEqual([problem]);
    expect(versioned(undefined, 'v1.10').rejected).toEqual([problem]);
  });

  it('goes to quarantine with a number where the specification orders the family by instants', () => {
    expect(versioned('company', 9).rejected).toEqual([
      'version of counted returned a number, but events of the family company are ordered by instants: return an instant',
    ]);
    expect(versioned('charge', 9).version).toBe('0000000000000009');
  });

  it('goes to quarantine when one of its functions fails, without quoting what was sent', () => {
    const failing = defineKind('failing', {
      schema: z.object({ id: z.unknown(), at: z.unknown().optional() }),
      subject: { id: (data) => (data.id as { deep: { id: string } }).deep.id },
      version: (data) => data.at as string,
    });
    const one = (data: object) => receive(contract([failing]), { type: 'failing', data }).rejected;
    expect(one({ id: 'Ana' })).toEqual(['subject.id of failing failed: TypeError']);
    expect(one({ id: { deep: { id: [] } } })).toEqual([
      'subject.id of failing returned a list: return a string, a number or null',
    ]);
    expect(one({ id: { deep: { id: 'x' } }, at: -1 })).toEqual([
      expect.stringContaining('whole number from 0'),
    ]);
  });

  it('takes any Standard Schema; then all of its payload is masked, and no issue quotes it', () => {
    const schema = {
      '~standard': {
        version: 1 as const,
        vendor: 'acme',
        types: undefined as unknown as { input: { id: number }; output: { id: number } },
        validate: (value: unknown) =>
          typeof (value as { id?: unknown }).id === 'number'
            ? { value }
            : { issues: [{ message: `secret ${JSON.stringify(value)}`, path: ['id'] }] },
      },
    };
    const kind = defineKind('acme.made', { schema, version: (data) => data.id });
    const other = contract([kind]);
    expect(receive(other, { type: 'acme.made', data: { id: 3 } })).toMatchObject({
      subject: { family: 'acme', id: '3' },
      version: '0000000000000003',
    });
    expect(receive(other, { type: 'acme.made', data: { id: 'Ana' } }).rejected).toEqual([
      'does not match the schema (acme)',
    ]);
    expect(other.mask('default', 'acme.made', { id: 3 })).toEqual({ id: '***' });
  });

  it.each([
    ['lists', z.array(z.object({ txid: z.string() })), [{ txid: 'a' }], [{}]],
    ['texts', z.string(), 'a', 1],
    ['null', z.null(), null, {}],
    ['lists or objects', z.union([z.array(z.int()), z.object({ id: z.int() })]), { id: 7 }, ['a']],
  ])('may have payloads that are %s', (_what, schema, right, wrong) => {
    const pix = contract([defineKind('pix', { schema, subject: { family: 'pix' } })]);
    expect(receive(pix, { type: 'pix', data: right })).toMatchObject({ recognized: true, version: null });
    expect(receive(pix, { type: 'pix', data: wrong }).rejected).toHaveLength(1);
    expect(JSON.stringify(pix.mask('default', 'pix', right))).not.toMatch(/"a"|7/);
  });

  it('rejects what an asynchronous schema would check', () => {
    const schema = z.object({ id: z.string().refine(() => Promise.resolve(true)) });
    const kind = defineKind('slow', { schema });
    expect(receive(contract([kind]), { type: 'slow', data: { id: 'a' } }).rejected).toEqual([
      'the schema of slow failed: it is asynchronous; make it check synchronously',
    ]);
  });
});

describe('a changed kind of the specification', () => {
  const known = contract([patched]);
  const company = sampleData('company.updated') as JsonObject & { readonly sne: JsonObject };

  it('adds fields at any depth, and keeps the rest', () => {
    const data = { ...company, fleet_size: 4, sne: { ...company.sne, reason: 'moved' } };
    const stored = receive(known, { type: 'company.updated', data });
    expect(stored).toMatchObject({ recognized: true, subject: { family: 'company' }, flags: [] });
    expect(stored.version).toMatch(/\/1$/);
    expect(receive(known, { type: 'company.updated', data: company }).rejected).toHaveLength(1);
    expect(
      receive(known, { type: 'company.updated', data: { ...data, sne: { status: 'later' } } }).flags,
    ).toEqual(['unknown-value']);
    expect(known.mask('default', 'company.updated', data)).toMatchObject({
      fleet_size: '***',
      tax_id: '***',
      sne: { reason: 'moved' },
    });
  });

  const seen = { fleet_size: 1, sne: { status: 'active', reason: 'none' } };
  const small = (data: { fleet_size?: number | undefined }) => (data.fleet_size ?? 0) < 10;
  const inner = z.object({ reason: z.string().nullish() });
  it.each<[string, z.ZodObject, Record<string, unknown>]>([
    ['of the object', z.object({ fleet_size: z.int() }).refine(small), { ...seen, fleet_size: 10 }],
    [
      'that adds issues itself',
      z.object({ fleet_size: z.int() }).superRefine((data, { addIssue }) => {
        if (!small(data)) addIssue('too large');
      }),
      { ...seen, fleet_size: 10 },
    ],
    [
      'of an object within',
      z.object({ sne: inner.refine(({ reason }) => reason !== 'none').nullish() }),
      seen,
    ],
    [
      'of an enumeration',
      z.object({ sne: z.object({ reason: openSet(['a', 'none']).refine((one) => one !== 'none') }) }),
      seen,
    ],
    [
      'around an object within',
      z.object({ sne: inner.nullish().refine((sne) => sne?.reason !== 'none') }),
      seen,
    ],
  ])('keeps a rule %s', (_where, schema, wrong) => {
    const known = contract([defineKind('company.updated', { schema })]);
    const sample = sampleData('company.updated') as Record<string, unknown>;
    const receiveWith = (data: object) =>
      receive(known, {
        type: 'company.updated',
        data: { ...sample, ...seen, sne: { reason: 'a' }, ...data },
      });
    expect(receiveWith({})).toMatchObject({ recognized: true, flags: [] });
    expect(receiveWith({ sne: { status: 'new', reason: 'a' } }).flags).toEqual(['unknown-value']);
    expect(receiveWith(wrong).rejected).toHaveLength(1);
  });

  it.each([
    [z.array(z.object({})), 'company.updated" is of the specification, whose payloads are objects'],
    [z.string().nullish(), 'whose payloads are objects: give a schema of an object, not z.string'],
    [z.strictObject({}), 'which keeps unknown fields: leave out .strict() and .catchall()'],
    [z.object({}).catchall(z.string()), 'which keeps unknown fields'],
  ])('ends the start where its schema would match nothing, or in part: %#', (schema, message) => {
    expect(() => contract([defineKind('company.updated', { schema })])).toThrow(message);
  });

  it('stays where it was among the kinds', () => {
    expect(known.kinds).toHaveLength(32);
    expect(known.find('default', 'company.updated')?.origin).toBe('kinds.ts');
  });
});

describe('a custom source', () => {
  it('may name the kind in a header, and be its own payload', () => {
    const source = defineSource('git', {
      envelope: { type: { header: 'X-Event' }, data: '' },
      kinds: [ordered],
    });
    const git = contract([], [source]);
    expect(receive(git, { id: 'a', total: 1 }, 'git', { 'x-event': 'ordered' })).toMatchObject({
      recognized: true,
      data: { id: 'a', total: 1 },
    });
    expect(git.envelopeOf('git').headers).toEqual(['x-event']);
    expect(git.envelopeOf('git').write('ordered', { id: 'a' })).toEqual({
      body: { id: 'a' },
      headers: { 'x-event': 'ordered' },
    });
  });
});

it.each([[null], [5], [[]], [{}], [{ scheme: 'rot13' }]])(
  'a source whose verification is %j is a mistake that names it',
  (verify) => {
    const define = () =>
      defineSource('shop', {
        envelope: { type: 'e', data: 'd' },
        kinds: [archived],
        verify: verify as 'hmac',
      });
    expect(define).toThrow(
      expect.objectContaining({
        code: 'handler-invalid',
        message: expect.stringMatching(
          /source "shop"[^]*verify(\.scheme)?: must be (the name of a scheme, or an object|one of none, token)/,
        ) as string,
      }) as Error,
    );
  },
);

describe('the routes of custom kinds', () => {
  const own = defineHandler({ name: 'own', on: ['charge.created', archived], handle: () => undefined });

  it('lead to the handlers of one source only, where two sources use one name', () => {
    const other = defineKind('ordered', { schema: z.object({ number: z.int() }) });
    const market = defineSource('market', { envelope: { type: 'type', data: 'data' }, kinds: [other] });
    const handler = defineHandler({ name: 'orders', on: ordered, handle: () => undefined });
    const registry = createRegistry([handler], contract([], [shop, market]));
    const routes = (source: string) =>
      registry.routesFor({ kind: 'ordered', recognized: true }, source).length;
    expect([routes('shop'), routes('market')]).toEqual([1, 0]);
  });

  it('end at the start when the kind is not part of the contract', () => {
    expect(() => createRegistry([own])).toThrow(
      /handler "own": kind "company.archived" is not part of the contract/,
    );
  });
});

describe('types', () => {
  it('come from the kind that is imported; a kind or wildcard of no kind does not compile', () => {
    defineHandler({
      name: 'typed',
      on: ['charge.created', archived, patched],
      handle(event) {
        expectTypeOf(event.kind).toEqualTypeOf<'charge.created' | 'company.archived' | 'company.updated'>();
        if (event.kind === 'company.archived') expectTypeOf(event.data.archived_at).toEqualTypeOf<string>();
        if (event.kind === 'company.updated') {
          expectTypeOf(event.data.fleet_size).toEqualTypeOf<number>();
          expectTypeOf(event.data.sne?.reason).toEqualTypeOf<string | null | undefined>();
          expectTypeOf(event.data.name).toEqualTypeOf<string | null | undefined>();
        }
        // @ts-expect-error -- a misspelled field does not compile
        if (event.kind === 'charge.created') String(event.data.statuz);
      },
    });
    // @ts-expect-error -- a wildcard that matches nothing does not compile
    defineHandler({ name: 'none', on: 'compani.*', handle: () => undefined });
    const none = { name: 'none', handle: () => undefined };
    // @ts-expect-error -- also in a list
    defineHandler({ ...none, on: ['company.*', 'x.*'] });
    const state = { name: 'none', initial: 0, evolve: (count: number) => count };
    // @ts-expect-error -- also for a machine
    defineMachine({ ...state, on: 'x.*' });
    // @ts-expect-error -- the kind of another file is imported, so that its payload has a type
    defineHandler({ ...none, on: 'company.archived' });
  });
});
