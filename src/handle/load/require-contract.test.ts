import { expect, test } from 'vitest';
import { specification } from '../../contract/specification.ts';
import { rejectMissing } from './require-contract.ts';

const handler = (name: string) =>
  ({ type: 'handler', source: null, name, origin: `${name}.ts`, hash: 'a' }) as const;

test.each([
  [['forward'], 'set PORTARIA_FORWARD_URL as there'],
  [['billing', 'ledger'], 'set PORTARIA_HANDLERS as there'],
  [['billing', 'forward'], 'set PORTARIA_HANDLERS and PORTARIA_FORWARD_URL as there'],
])('without the handlers %j, the remedy is the settings that they come from', (names, remedy) => {
  expect(() => {
    rejectMissing(names.map(handler), specification, undefined, []);
  }).toThrow(`which this command does not: ${remedy}. If it`);
});
