import { describe, expect, it } from 'vitest';
import { maskByName } from './mask-by-name.ts';

describe('masking what a machine remembers', () => {
  it('hides fields with a name that is personal in some kind, however it is spelt', () => {
    expect(
      maskByName({
        phase: 'issued',
        sign_url: 'https://x',
        signUrl: 'https://x',
        SignURL: 'https://x',
        pix: '000201',
      }),
    ).toEqual({ phase: 'issued', sign_url: '***', signUrl: '***', SignURL: '***', pix: '***' });
  });

  it('hides all that lies below such a field, and looks into all others', () => {
    expect(
      maskByName({
        vars: { fleet: 'A', list: [1, 'b'] },
        attempts: [{ email: 'a@example.com', step: 'otp' }],
      }),
    ).toEqual({ vars: { fleet: '***', list: ['***', '***'] }, attempts: [{ email: '***', step: 'otp' }] });
  });

  it.each([null, true, 12, 'text', [], {}])('leaves %j alone', (value) => {
    expect(maskByName(value)).toEqual(value);
  });
});
