import { expect, test } from 'vitest';
import { PortariaError } from './errors.ts';

test('an error has a code, a cause and problems', () => {
  const cause = new Error('disk on fire');
  const problems = [{ where: 'PORTARIA_PORT', message: 'must be a whole number' }];

  const error = new PortariaError('misconfigured', 'The configuration has mistakes', { cause, problems });

  expect(error).toMatchObject({ name: 'PortariaError', code: 'misconfigured', cause, problems });
});

test('an error without a cause has no property `cause`', () => {
  const error = new PortariaError('stopping', 'Shutting down');
  expect(Object.hasOwn(error, 'cause')).toBe(false);
  expect(error.problems).toEqual([]);
});

test('is() accepts only a PortariaError, of the given code', () => {
  const error = new PortariaError('store-full', 'full');
  expect(PortariaError.is(error)).toBe(true);
  expect(PortariaError.is(error, 'store-full')).toBe(true);
  expect(PortariaError.is(error, 'store-busy')).toBe(false);
  for (const other of [new Error('store-full'), { code: 'store-full' }, 'store-full', null, undefined])
    expect(PortariaError.is(other)).toBe(false);
});
