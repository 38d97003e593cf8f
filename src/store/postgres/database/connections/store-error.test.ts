import { expect, test } from 'vitest';
import { isOutage, storeError, unconfirmed } from './store-error.ts';

const LOCATION = 'postgres://portaria@db/portaria';

function failure(message: string, code?: string): Error {
  return Object.assign(new Error(message), code === undefined ? {} : { code });
}

test.each([
  ['53100', 'could not extend file', 'store-full', 'make room'],
  ['53300', 'sorry, too many clients already', 'store-busy', 'raise max_connections'],
  ['28P01', 'password authentication failed for user "p"', 'store-unsupported', 'check both in the address'],
  ['28000', 'no pg_hba.conf entry for host "h", no encryption', 'store-unsupported', 'sslmode=verify-full'],
  ['3D000', 'database "d" does not exist', 'store-unsupported', 'create it'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'self-signed certificate', 'store-unsupported', 'sslrootcert'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'unable to verify', 'store-unsupported', 'sslrootcert'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'not in the cert', 'store-unsupported', 'host name of the certificate'],
  ['ENOENT', "ENOENT: no such file or directory, open '/ca.pem'", 'store-unsupported', 'check sslrootcert'],
  ['ENOENT', 'connect ENOENT /run/.s.PGSQL.5432', 'store-busy', 'check that it runs'],
  [undefined, 'SASL: client password must be a string', 'store-unsupported', '~/.pgpass'],
  [undefined, 'The server does not support SSL connections', 'store-unsupported', 'ssl = on'],
  [undefined, 'Query read timeout', 'store-busy', 'check that it runs'],
  [undefined, 'Connection terminated unexpectedly', 'store-busy', 'check that it runs'],
])('%s, %s: %s, with what to do', (code, message, expected, remedy) => {
  const error = storeError(failure(message, code), LOCATION);
  expect(error.code).toBe(expected);
  expect(error.message).toContain(remedy);
  expect(error.message).toContain(LOCATION);
});

test('a commit that no standby has confirmed fails, and is an outage', () => {
  const warning = unconfirmed({
    code: '01000',
    message: 'canceling wait for synchronous replication due to user request',
  });
  expect(isOutage(warning)).toBe(true);
  expect(storeError(warning, LOCATION)).toMatchObject({
    code: 'store-busy',
    message: expect.stringContaining('no standby has confirmed the commit') as string,
  });
});

test('a notice that is no warning changes nothing', () => {
  expect(unconfirmed({ code: '00000', message: 'some notice' })).toBeUndefined();
});
