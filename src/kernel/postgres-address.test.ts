/** The server and the user that messages name. */
import { expect, test } from 'vitest';
import { addressWithoutPassword } from './postgres-address.ts';

test.each([
  ['postgres://app:SECRET@db:5433/portaria?sslmode=require', 'postgres://app@db:5433/portaria'],
  ['postgres://db/portaria?port=5433', 'postgres://db:5433/portaria'],
  ['postgres://db/portaria?user=app', 'postgres://app@db/portaria'],
  [
    'postgresql:///portaria?host=db.internal&port=5433&user=a%40b',
    'postgresql://a%40b@db.internal:5433/portaria',
  ],
  ['postgres:///portaria?host=::1&port=5433', 'postgres://[::1]:5433/portaria'],
  ['postgres://app@[::1]/portaria', 'postgres://app@[::1]/portaria'],
  ['postgres:///portaria?host=/run/postgresql&user=app', 'postgres://app@%2Frun%2Fpostgresql/portaria'],
  ['postgres://app:SECRET@%2Frun%2Fpostgresql/portaria', 'postgres://app@%2Frun%2Fpostgresql/portaria'],
  ['postgres:///portaria', 'postgres:///portaria'],
  // The client goes by the parameters.
  ['postgres://ana:SECRET@db:1/portaria?host=other&port=2&user=bia', 'postgres://bia@other:2/portaria'],
  ['postgres:///portaria?user=app', 'postgres://app@/portaria'],
  ['postgres://app:SE/CRET@db/portaria', 'postgres://…'],
])('messages name the server and the user that the client uses: %s', (address, shown) => {
  expect(addressWithoutPassword(address)).toBe(shown);
});
