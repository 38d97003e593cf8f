/** Something a handler may throw: how it says so in TypeScript, and what must be readable of it afterwards. */
export interface ThrownThing {
  readonly name: string;
  readonly statement: string;
  readonly reason: RegExp;
}

function thing(name: string, statement: string, reason: RegExp): ThrownThing {
  return { name, statement, reason };
}

export const thrownThings: readonly ThrownThing[] = [
  thing('nothing', 'throw undefined;', /^threw undefined$/),
  thing('null', 'throw null;', /^threw null$/),
  thing('an empty string', "throw '';", /^threw an empty string$/),
  thing('a text', "throw 'the ledger is closed';", /^the ledger is closed$/),
  thing('a number', 'throw 1e400;', /^threw Infinity$/),
  thing('a bigint', 'throw 10n;', /^threw 10$/),
  thing('a symbol', "throw Symbol('closed');", /^threw Symbol\(closed\)$/),
  thing('a function', 'throw () => 1;', /^threw a function$/),
  thing('a frozen error', "throw Object.freeze(new Error('frozen'));", /^Error: frozen/),
  thing('a frozen object', "throw Object.freeze({ message: 'cold', code: 'ICE' });", /ICE.*cold/),
  thing('an object without prototype', 'throw Object.create(null);', /^threw an object/),
  thing('an error of ten megabytes', "throw new Error('huge '.repeat(2_000_000));", /^Error: huge huge/),
  thing('a text of ten megabytes', "throw 'long '.repeat(2_000_000);", /^long long/),
  thing(
    'an error with an endless stack',
    "throw Object.assign(new Error('deep'), { stack: '    at x (y:1:1)\\n'.repeat(500_000) });",
    /^Error: deep/,
  ),
  thing('control characters', "throw new Error('a\\u0000b\\u001b[2Jc\\ud800d');", /a b \[2Jc\ufffdd/),
  thing(
    'an error without its own stack',
    'const error = new Error("bare"); error.stack = undefined; throw error;',
    /bare/,
  ),
  thing(
    'an error that is its own cause',
    "const error = new Error('self'); error.cause = error; throw error;",
    /self/,
  ),
  thing(
    'ten thousand errors in one',
    "throw new AggregateError(Array.from({ length: 10_000 }, (_, at) => new Error('no ' + at)), 'many');",
    /many.*no 0.*and 9997 more/,
  ),
  thing(
    'an object whose fields throw',
    "throw new Proxy({}, { get() { throw new Error('do not look'); }, has() { throw new Error('nor ask'); } });",
    /^threw an object/,
  ),
  thing(
    'a revoked proxy',
    'const { proxy, revoke } = Proxy.revocable(new Error(), {}); revoke(); throw proxy;',
    /^threw an object/,
  ),
  thing('an endless recursion', '(function again() { again(); })();', /Maximum call stack/),
  thing('what is no JSON', 'JSON.parse("{broken");', /SyntaxError/),
  thing('an abort', "throw new DOMException('given up', 'AbortError');", /AbortError.*given up/),
  thing(
    'an error that looks like the store’s',
    "throw { name: 'PortariaError', code: 'store-full' };",
    /store-full/,
  ),
  thing('a rejection with nothing', 'return Promise.reject();', /^threw undefined$/),
  thing(
    'a promise that throws when awaited',
    "return { then() { throw new Error('thenable'); } };",
    /thenable/,
  ),
];
