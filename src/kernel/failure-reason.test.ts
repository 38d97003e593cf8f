import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { failureReason } from './failure-reason.ts';

const withoutStack = (error: Error): Error => Object.assign(error, { stack: undefined });

describe('failureReason', () => {
  it('contains name and message of an error, and the line that threw it', () => {
    const reason = failureReason(new TypeError('no such plate'));
    expect(reason).toMatch(/^TypeError: no such plate \(at .*failure-reason\.test\.ts:\d+:\d+\)?/);
    expect(reason).not.toContain('file://');
  });

  it('skips stack frames of Node and of packages', () => {
    const error = new Error('refused');
    error.stack = [
      'Error: refused',
      '    at node:internal/deps/undici/undici:13510:13',
      '    at post (file:///app/node_modules/got/index.js:3:4)',
      '    at async handle (file:///app/handlers/slip.ts:12:5)',
    ].join('\n');
    expect(failureReason(error)).toBe('Error: refused (at async handle (/app/handlers/slip.ts:12:5))');
  });

  it('includes the chain of causes', () => {
    const root = withoutStack(
      Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED' }),
    );
    const error = withoutStack(new TypeError('fetch failed', { cause: root }));
    expect(failureReason(error)).toBe(
      'TypeError: fetch failed <- Error [ECONNREFUSED]: connect ECONNREFUSED 127.0.0.1:1',
    );
  });

  it('ends a circular chain of causes, and a very long one', () => {
    const circular = withoutStack(new Error('circular'));
    circular.cause = circular;
    expect(failureReason(circular)).toBe('Error: circular');
    let chain: Error = withoutStack(new Error('root'));
    for (let depth = 0; depth < 10_000; depth += 1) chain = withoutStack(new Error('link', { cause: chain }));
    expect(failureReason(chain).match(/link/g)).toHaveLength(6);
  });

  it('lists the first errors of an AggregateError, and counts the others', () => {
    const errors = [1, 2, 3, 4, 5].map((n) => withoutStack(new Error(`host ${String(n)}`)));
    expect(failureReason(withoutStack(new AggregateError(errors, 'all failed')))).toBe(
      'AggregateError: all failed [Error: host 1; Error: host 2; Error: host 3; and 2 more]',
    );
  });

  it.each([
    [undefined, 'threw undefined'],
    [null, 'threw null'],
    [0, 'threw 0'],
    [7n, 'threw 7'],
    [Symbol('why'), 'threw Symbol(why)'],
    [() => 1, 'threw a function'],
    ['the portal is closed', 'the portal is closed'],
    ['', 'threw an empty string'],
    [{}, 'threw an object without a message'],
    [[], 'threw an object without a message'],
    [Object.create(null), 'threw an object without a message'],
    [{ message: 'half an error' }, 'half an error'],
    [{ code: 'E_QUOTA', message: 'too many' }, '[E_QUOTA]: too many'],
    [{ status: 503 }, 'threw an object [503] without a message'],
    [Object.assign(new Error(''), { stack: '', code: 'E1' }), 'Error [E1]'],
    [Object.freeze({ name: 'Custom', message: 'frozen' }), 'Custom: frozen'],
  ])('describes a thrown value that is not an error: %o', (thrown, reason) => {
    expect(failureReason(thrown)).toBe(reason);
  });

  it.each([
    [
      { status: 422, data: { error: 'amount of 529.982.247-25 is odd', name: 'Maria' } },
      '422: amount of <cpf> is odd',
    ],
    [
      { status: 400, data: '{"error":{"code":"E7","message":"no room"},"address":"Rua A"}' },
      '400: E7 no room',
    ],
    [{ status: 400, data: [{ name: 'Maria' }] }, '400'],
    [{ status: 413, data: JSON.stringify({ message: 'x'.repeat(70_000) }) }, '413'],
    [{ statusCode: 500, body: 'no\nroom' }, '500: no room'],
    [{ status: 502, body: new ReadableStream() }, '502'],
    [{ data: 'x'.repeat(500) }, `${'x'.repeat(199)}…`],
  ])('quotes the response that a client attached, masked and cut: %o', (response, said) => {
    const error = withoutStack(Object.assign(new Error('failed'), { response }));
    expect(failureReason(error)).toBe(`Error: failed [response ${said}]`);
    const caused = withoutStack(new Error('the ledger', { cause: error }));
    expect(failureReason(caused)).toContain(`<- Error: failed [response ${said}]`);
  });

  it('says nothing of a response without status and text', () => {
    const error = withoutStack(Object.assign(new Error('failed'), { response: { ok: false } }));
    expect(failureReason(error)).toBe('Error: failed');
  });

  it('does not repeat the payload of a thrown object', () => {
    expect(failureReason({ tax_id: '52998224725', email: 'someone@example.com' })).toBe(
      'threw an object without a message',
    );
  });

  it('is one line, without control characters and lone surrogates', () => {
    expect(failureReason('a\r\n\tb\u0000c\u001b[31m\uD800d')).toBe('a b c [31m\uFFFDd');
  });

  it('is never longer than 2,000 characters', () => {
    expect(failureReason('x'.repeat(5_000_000)).length).toBeLessThanOrEqual(2_000);
    const wide = new AggregateError(
      Array.from(
        { length: 5 },
        () => new Error('y'.repeat(10_000), { cause: new Error('z'.repeat(10_000)) }),
      ),
      'w'.repeat(10_000),
    );
    expect(failureReason(wide).length).toBeLessThanOrEqual(2_000);
  });

  it('never cuts a character in half', () => {
    expect(failureReason('🦀'.repeat(2_000))).not.toMatch(/\p{Surrogate}/u);
  });

  it('survives getters, proxies and methods that throw', () => {
    const throwing = new Proxy(new Error('x'), {
      get() {
        throw new Error('get');
      },
      has() {
        throw new Error('has');
      },
      getPrototypeOf() {
        throw new Error('getPrototypeOf');
      },
    });
    const { proxy: revoked, revoke } = Proxy.revocable({}, {});
    revoke();
    const getters = Object.defineProperties(new Error('kept'), {
      stack: {
        get: () => {
          throw new Error('stack');
        },
      },
      cause: {
        get: () => {
          throw new Error('cause');
        },
      },
    });
    const toString = {
      toString() {
        throw new Error('toString');
      },
    };
    const errors = Object.assign(withoutStack(new Error('list')), {
      errors: new Proxy([], {
        get() {
          throw new Error('get');
        },
      }),
    });
    expect(failureReason(throwing)).toBe('threw an object without a message');
    expect(failureReason(revoked)).toBe('threw an object without a message');
    expect(failureReason(getters)).toBe('Error: kept');
    expect(failureReason(toString)).toBe('threw an object without a message');
    expect(failureReason(errors)).toBe('Error: list');
  });

  it('is one short, non-empty line for any value', () => {
    const thrown = fc.oneof(
      fc.anything({
        withBigInt: true,
        withDate: true,
        withMap: true,
        withNullPrototype: true,
        withSparseArray: true,
      }),
      fc.string({ unit: 'binary' }).map((message) => new Error(message)),
      fc.tuple(fc.anything(), fc.string()).map(([cause, message]) => new Error(message, { cause })),
      fc.array(fc.anything()).map((errors) => new AggregateError(errors)),
    );
    fc.assert(
      fc.property(thrown, (value) => {
        const reason = failureReason(value);
        expect(reason).toMatch(/^[^\p{Cc}\p{Surrogate}]{1,2000}$/u);
      }),
    );
  });
});
