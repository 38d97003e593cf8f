/** What functions of a custom envelope may do wrong: the body is held, and nothing of it shows. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Contract } from '../../contract/contract.ts';
import type { ParsedEvent } from '../../event/event.ts';
import { createParse } from '../../parse/parse.ts';
import { verifiedDelivery } from '../../../test/support/verified-delivery.ts';
import { extendContract } from './extend-contract.ts';
import { defineKind } from './kind-definition.ts';
import { defineSource } from './source-definition.ts';

const ordered = defineKind('ordered', { schema: z.object({ id: z.string(), total: z.number() }) });

interface Functions {
  readonly type?: (body: never) => unknown;
  readonly data?: (body: never) => unknown;
}

function odd(functions: Functions): Contract {
  const definition = defineSource('odd', {
    envelope: { type: () => 'ordered', data: (body) => body, ...(functions as object) },
    kinds: [ordered],
  });
  return extendContract({ kinds: [], sources: [{ definition, file: 'odd.ts' }] });
}

function parsed(functions: Functions, body: unknown) {
  return createParse(odd(functions))(verifiedDelivery(JSON.stringify(body), { source: 'odd' }));
}

function messageOf(functions: Functions) {
  const result = parsed(functions, {});
  return result.stage === 'rejected' ? result : undefined;
}

describe('a body that functions read', () => {
  it('keeps what a failing function of its envelope cannot read, and quotes nothing of the error', () => {
    const fail = () => {
      throw new TypeError('CPF 529.982.247-25');
    };
    expect(messageOf({ type: fail })).toMatchObject({
      reason: 'malformed',
      kind: null,
      message: 'The body is not an envelope: reading its type failed: TypeError',
    });
    expect(messageOf({ data: fail })).toMatchObject({
      reason: 'malformed',
      kind: 'ordered',
      message: 'The body is not an envelope: reading its data failed: TypeError',
    });
    const nameless = () => {
      throw Object.assign(new Error('x'), { name: 'CPF 529.982.247-25' });
    };
    expect(messageOf({ data: nameless })?.message).toBe(
      'The body is not an envelope: reading its data failed: Error',
    );
  });

  const cyclic: Record<string, unknown> = {};
  cyclic['self'] = { cyclic };
  let deep: unknown = 1;
  for (let level = 0; level < 65; level += 1) deep = [deep];
  const hostile = new Proxy(
    {},
    {
      ownKeys() {
        throw new Error('529.982.247-25');
      },
    },
  );
  const { proxy: revoked, revoke } = Proxy.revocable({}, {});
  revoke();

  it.each<[string, unknown, string]>([
    ['a promise', Promise.resolve({ id: 'a' }), 'returned a promise: return the value itself'],
    ['a cycle', cyclic, 'returned data nested deeper than 64 levels'],
    ['deep nesting', deep, 'returned data nested deeper than 64 levels'],
    ['a proxy that throws', hostile, 'returned a proxy: return JSON'],
    ['a revoked proxy', revoked, 'returned a proxy: return JSON'],
    ['a getter', { get id() { return 'a'; } }, 'returned a getter: return JSON'], // prettier-ignore
    ['a Date', { at: new Date(0) }, 'returned an object of a class: return JSON'],
    ['a Map', new Map(), 'returned an object of a class: return JSON'],
    ['an instance', new (class Order {})(), 'returned an object of a class: return JSON'],
    ['a function', { id: () => 'a' }, 'returned a function: return JSON'],
    ['a big integer', { id: 1n }, 'returned a bigint: return JSON'],
    ['NaN', { total: NaN }, 'returned NaN: return JSON'],
    ['an empty place of a list', { list: [undefined] }, 'returned a list with undefined: return JSON'],
    [
      'a list with a huge length',
      Object.assign([], { length: 4_000_000_000 }),
      'returned a list with undefined: return JSON',
    ],
  ])('keeps a body of which envelope.data returns %s', (_what, data, problem) => {
    expect(messageOf({ data: () => data })).toMatchObject({
      reason: 'malformed',
      kind: 'ordered',
      message: `The body is not an envelope: envelope.data ${problem}`,
    });
  });

  it('keeps a body of which a function is asynchronous, and ends no process when it fails', () => {
    const message = (part: string) =>
      `The body is not an envelope: envelope.${part} returned a promise: return the value itself`;
    for (const slow of [() => Promise.resolve('ordered'), () => Promise.reject(new Error('x'))]) {
      expect(messageOf({ type: slow })).toMatchObject({ reason: 'malformed', message: message('type') });
      expect(messageOf({ data: slow })).toMatchObject({ reason: 'malformed', message: message('data') });
    }
  });

  it('takes data that a function builds, without its absent members', () => {
    const data = ({ no, sum }: { no: string; sum: number }) => ({ id: no, total: sum, note: undefined });
    expect(parsed({ data }, { no: 'a', sum: 2 })).toMatchObject({
      recognized: true,
      data: { id: 'a', total: 2 },
    });
    expect(Object.keys((parsed({ data }, { no: 'a', sum: 2 }) as ParsedEvent).data as object)).toEqual([
      'id',
      'total',
    ]);
    expect(messageOf({ data: () => undefined })?.message).toBe(
      'The body is not an envelope: the data is missing',
    );
  });

  it('has a number too large for JSON rejected as such, also in data that a function builds', () => {
    expect(messageOf({ data: () => ({ id: 'a', total: Infinity }) })).toMatchObject({ reason: 'invalid' });
  });
});
