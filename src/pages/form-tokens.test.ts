import { expect, test } from 'vitest';
import { createSigner } from '../kernel/signed-token.ts';
import { HOUR_MS } from '../kernel/time/durations.ts';
import { createFormTokens } from './form-guard.ts';

const RENDERED_AT = 100 * HOUR_MS;
const ana = { session: 'ana' };
const tokens = createFormTokens(createSigner('secret', 'test'));
const token = tokens.form(ana, RENDERED_AT);

test('a form can be sent for twelve hours, by its visitor', () => {
  expect(tokens.isForm(token, ana, RENDERED_AT)).toBe(true);
  expect(tokens.isForm(token, ana, RENDERED_AT + 12 * HOUR_MS - 1)).toBe(true);
  expect(tokens.isForm(token, ana, RENDERED_AT + 12 * HOUR_MS)).toBe(false);
  expect(tokens.isForm(token, { session: 'bob' }, RENDERED_AT)).toBe(false);
});

test('a form that a process rendered whose clock is five seconds ahead can be sent', () => {
  expect(tokens.isForm(token, ana, RENDERED_AT - 5_000)).toBe(true);
  expect(tokens.isForm(token, ana, RENDERED_AT - 5_001)).toBe(false);
});
