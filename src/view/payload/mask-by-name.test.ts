import { describe, expect, it } from 'vitest';
import { maskByName } from '../machine-view.ts';
import { specification } from '../../contract/specification.ts';

describe('masking a machine’s state', () => {
  it('masks fields whose name is personal data in a kind, in any spelling', () => {
    const url = 'https://x';
    const state = { phase: 'issued', sign_url: url, signUrl: url, SignURL: url, pix: '000201' };
    expect(maskByName(state, specification)).toEqual({
      phase: 'issued',
      sign_url: '***',
      signUrl: '***',
      SignURL: '***',
      pix: '***',
    });
  });

  it('masks everything below such a field, and descends into others', () => {
    const state = {
      vars: { fleet: 'A', list: [1, 'b'] },
      attempts: [{ email: 'a@example.com', step: 'otp' }],
    };
    expect(maskByName(state, specification)).toEqual({
      vars: { fleet: '***', list: ['***', '***'] },
      attempts: [{ email: '***', step: 'otp' }],
    });
  });

  it.each([null, true, 12, 'text', [], {}])('leaves %j alone', (value) => {
    expect(maskByName(value, specification)).toEqual(value);
  });
});
