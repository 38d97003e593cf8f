import { describe, expect, it } from 'vitest';
import { jsonOf, storedEnvelope, utf8Text } from './stored-envelope.ts';
import { specification } from '../../contract/specification.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const envelopeIn = (body: Uint8Array) =>
  storedEnvelope({ source: 'default', body, headers: {} }, specification);

describe('a stored body', () => {
  it.each(['', 'plain', '{"type":', '\u0000'])('%j is neither an envelope nor JSON', (text) => {
    expect(jsonOf(bytes(text))).toBeUndefined();
    expect(envelopeIn(bytes(text))).toBeUndefined();
  });

  it.each(['null', '[]', '"x"', '{}', '{"type":1,"data":{}}', '{"type":"a"}', '[{"type":"a","data":1}]'])(
    'is JSON and no envelope as %s',
    (text) => {
      expect(jsonOf(bytes(text))).toEqual(JSON.parse(text));
      expect(envelopeIn(bytes(text))).toBeUndefined();
    },
  );

  it('is an envelope with any data', () => {
    expect(envelopeIn(bytes('{"data":null,"type":"a.b","more":1}'))).toEqual({ kind: 'a.b', data: null });
  });

  it('may start with a byte order mark, which stays in the string', () => {
    const marked = new Uint8Array([0xef, 0xbb, 0xbf, ...bytes('{"type":"a","data":1}')]);
    expect(envelopeIn(marked)).toEqual({ kind: 'a', data: 1 });
    expect(utf8Text(marked)).toMatch(/^\uFEFF/u);
  });

  it('is not a string when it is not UTF-8', () => {
    expect(utf8Text(new Uint8Array([0xc3, 0x28]))).toBeUndefined();
    expect(jsonOf(new Uint8Array([0x22, 0xff, 0x22]))).toBeUndefined();
  });
});
