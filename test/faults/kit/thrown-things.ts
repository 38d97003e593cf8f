/** A value that a handler throws: the TypeScript statement, and the reason that must be recorded. */
export interface ThrownCase {
  readonly name: string;
  readonly statement: string;
  readonly reason: RegExp;
}

function thrown(name: string, statement: string, reason: RegExp): ThrownCase {
  return { name, statement, reason };
}

export const thrownCases: readonly ThrownCase[] = [
  thrown('nothing', 'throw undefined;', /^threw undefined$/),
  thrown('null', 'throw null;', /^threw null$/),
  thrown('an empty string', "throw '';", /^threw an empty string$/),
  thrown('a text', "throw 'the ledger is closed';", /^the ledger is closed$/),
  thrown('a number', 'throw 1e400;', /^threw Infinity$/),
  thrown('a bigint', 'throw 10n;', /^threw 10$/),
  thrown('a symbol', "throw Symbol('closed');", /^threw Symbol\(closed\)$/),
  thrown('a function', 'throw () => 1;', /^threw a function$/),
  thrown('a frozen error', "throw Object.freeze(new Error('frozen'));", /^Error: frozen/),
  thrown('a frozen object', "throw Object.freeze({ message: 'cold', code: 'ICE' });", /ICE.*cold/),
  thrown('an object without prototype', 'throw Object.create(null);', /^threw an object/),
  thrown('an error of ten megabytes', "throw new Error('huge '.repeat(2_000_000));", /^Error: huge huge/),
  thrown('a text of ten megabytes', "throw 'long '.repeat(2_000_000);", /^long long/),
  thrown(
    'an error with an endless stack',
    "throw Object.assign(new Error('deep'), { stack: '    at x (y:1:1)\\n'.repeat(500_000) });",
    /^Error: deep/,
  ),
  thrown('control characters', "throw new Error('a\\u0000b\\u001b[2Jc\\ud800d');", /a b \[2Jc\ufffdd/),
  thrown(
    'an error without its own stack',
    'const error = new Error("bare"); error.stack = undefined; throw error;',
    /bare/,
  ),
  thrown(
    'an error that is its own cause',
    "const error = new Error('self'); error.cause = error; throw error;",
    /self/,
  ),
  thrown(
    'ten thousand errors in one',
    "throw new AggregateError(Array.from({ length: 10_000 }, (_, at) => new Error('no ' + at)), 'many');",
    /many.*no 0.*and 9997 more/,
  ),
  thrown(
    'an object whose fields throw',
    "throw new Proxy({}, { get() { throw new Error('do not look'); }, has() { throw new Error('nor ask'); } });",
    /^threw an object/,
  ),
  thrown(
    'a revoked proxy',
    'const { proxy, revoke } = Proxy.revocable(new Error(), {}); revoke(); throw proxy;',
    /^threw an object/,
  ),
  thrown('an endless recursion', '(function again() { again(); })();', /Maximum call stack/),
  thrown('a syntax error of JSON.parse', 'JSON.parse("{broken");', /SyntaxError/),
  thrown('an abort', "throw new DOMException('given up', 'AbortError');", /AbortError.*given up/),
  thrown(
    'an error that looks like the store’s',
    "throw { name: 'PortariaError', code: 'store-full' };",
    /store-full/,
  ),
  thrown('a rejection with nothing', 'return Promise.reject();', /^threw undefined$/),
  thrown(
    'a promise that throws when awaited',
    "return { then() { throw new Error('thenable'); } };",
    /thenable/,
  ),
];
