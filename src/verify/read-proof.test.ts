import { expect, test } from 'vitest';
import { compileHeader } from './signed/template.ts';
import { readProof } from './read-proof.ts';

const signed = { scheme: 'signed', header: 'X-Signature', signs: '{body}', algorithm: 'sha256' };

function mistakesOf(given: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(
    (readProof(given).mistakes ?? []).map(({ path, message }) => [path.join('.'), message]),
  );
}

test('a header that fits a template nearly, again and again, is read in linear time', () => {
  const { value } = compileHeader('"{id}.{timestamp}.{signature}"');
  // In cubic time this would take hours.
  expect(value?.read(`"${'.'.repeat(100_000)}`).signatures).toEqual([]);
  expect(value?.read('"a.1.b"')).toEqual({ signatures: ['b'], timestamps: ['1'], ids: ['a'] });
});

test('a description has defaults', () => {
  expect(readProof(signed).proof).toEqual({
    ...{ scheme: 'signed', header: 'x-signature', reads: '{signature}', signs: '{body}' },
    ...{ algorithm: 'sha256', encoding: 'hex', key: 'text', toleranceSeconds: 300 },
  });
  expect(readProof('token').proof).toEqual({ scheme: 'token', header: 'x-webhook-token' });
  expect(readProof('hmac').proof).toEqual({ scheme: 'hmac', header: 'x-webhook-signature' });
  expect(readProof('jwt').proof).toEqual({ scheme: 'jwt', header: 'authorization', toleranceSeconds: 60 });
});

test('a field replaces that of a known sender', () => {
  expect(readProof({ scheme: 'stripe', tolerance: '10m' }).proof).toMatchObject({
    ...{ scheme: 'signed', preset: 'stripe', header: 'stripe-signature', toleranceSeconds: 600 },
  });
});

test.each([
  ['5m', 300],
  ['300s', 300],
  ['120', 120],
  [90, 90],
])('the tolerance %j is %i seconds', (tolerance, seconds) => {
  const reads = 't={timestamp},v1={signature}';
  const { proof } = readProof({ ...signed, reads, signs: '{timestamp}.{body}', tolerance });
  expect(proof).toMatchObject({ toleranceSeconds: seconds });
});

test('every mistake is reported at once, each with its field and remedy', () => {
  expect(mistakesOf({ scheme: 'signed', header: 'x y', algorithm: 'md5', sings: '{body}' })).toEqual({
    header: 'must be the name of an HTTP header',
    signs: 'is missing; it must be a text',
    algorithm: 'must be one of sha1, sha256, sha512, ed25519, rsa-sha256, ecdsa-p256',
    sings: 'is not a field of signed; did you mean signs?',
  });
  expect(mistakesOf({ ...signed, reads: 'v1={hmac-of-it}', signs: '{timestmp}.{body}' })).toEqual({
    reads: 'has the unknown placeholder {hmac-of-it}: known are {timestamp}, {id}, {signature}',
    signs: 'has the unknown placeholder {timestmp}: did you mean {timestamp}?',
  });
});

const none = (pattern: RegExp): unknown => expect.stringMatching(pattern);

test.each([
  ['no body', { signs: '{method}' }, { signs: none(/does not cover \{body\}/) }],
  [
    'a time that is not sent',
    { signs: '{timestamp}{body}' },
    { signs: none(/\{timestamp\}, which is not sent/) },
  ],
  [
    'a time that is not signed',
    { reads: '{timestamp}.{signature}' },
    { signs: none(/does not cover \{timestamp\}/) },
  ],
  [
    'a header of the time that is not signed',
    { timestamp: { header: 'x-at' } },
    { signs: none(/\{timestamp\}/) },
  ],
  ['an id that is not signed', { reads: '{id}.{signature}' }, { signs: none(/does not cover \{id\}/) }],
  ['no signature', { reads: 't={timestamp}' }, { reads: none(/has no \{signature\}/) }],
  ['two values in one', { reads: '{timestamp}{signature}' }, { reads: none(/without a text between/) }],
  ['two times', { reads: 't={timestamp},u={timestamp},v={signature}' }, { reads: none(/more than once/) }],
  ['a tolerance without a time', { tolerance: '5m' }, { tolerance: none(/has no timestamp/) }],
  ['a tolerance of nothing', { tolerance: 'soon' }, { tolerance: none(/must be a duration such as 5m/) }],
  ['a header that is no name', { id: { header: '' } }, { 'id.header': none(/HTTP header/) }],
])('a template with %s is refused', (_what, fields, mistakes) => {
  expect(mistakesOf({ ...signed, ...fields })).toMatchObject(mistakes);
});

test.each([
  [17, 'must be the name of a scheme, or an object with `scheme` and its fields'],
  ['strpe', /^must be one of none, token, .*; did you mean stripe\?$/],
  [{ scheme: 'none', header: 'x' }, 'is not a field of none; it has none'],
  [
    { scheme: 'token', header: 'x', query: 'y' },
    'and header are both set; keep the one that the sender sends',
  ],
  [{ scheme: 'mercado-pago', signs: '{timestamp}' }, /does not cover \{body\}/],
])('%j is refused', (given, message) => {
  expect(Object.values(mistakesOf(given))[0]).toEqual(
    typeof message === 'string' ? message : expect.stringMatching(message),
  );
});
