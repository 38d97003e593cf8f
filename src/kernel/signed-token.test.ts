import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSigner } from './signed-token.ts';

const signer = createSigner('secret', 'test');

test('a token holds any JSON value, and opens for its purpose', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.string(), (value, purpose) => {
      const token = signer.sign(purpose, value);
      expect(createSigner('secret', 'test').open(purpose, token)).toEqual(JSON.parse(JSON.stringify(value)));
      expect(token).toMatch(/^[\w-]+\.[\w-]+$/u);
    }),
  );
});

test('a token opens for no other purpose, secret or name', () => {
  const token = signer.sign('session', { id: 1 });
  expect(signer.open('form', token)).toBeUndefined();
  expect(createSigner('other', 'test').open('session', token)).toBeUndefined();
  expect(createSigner('secret', 'other').open('session', token)).toBeUndefined();
});

test('a token with any character changed, added or removed does not open', () => {
  const token = signer.sign('session', { id: 1 });
  for (let at = 0; at < token.length - 1; at += 1) {
    const other = token[at] === 'A' ? 'B' : 'A';
    expect(signer.open('session', token.slice(0, at) + other + token.slice(at + 1))).toBeUndefined();
    expect(signer.open('session', token.slice(0, at))).toBeUndefined();
  }
  for (const wrong of ['', '.', 'x', `${token}.`, `x${token}`, `${token}.${token}`])
    expect(signer.open('session', wrong)).toBeUndefined();
});
