import { expect, test } from 'vitest';
import { readMessageId } from './message-id.ts';

test.each(['msg_2KWPBgLlAfxdpx2AI54pPJ85f4W', '1', '!~', 'x'.repeat(256)])(
  'readMessageId accepts %j',
  (value) => {
    expect(readMessageId(value)).toBe(value);
  },
);

test.each([undefined, '', 'a b', 'msg_1, msg_2', 'é', 'a\u0000', 'a\u007f', 'x'.repeat(257)])(
  'readMessageId rejects %j',
  (value) => {
    expect(readMessageId(value)).toBeNull();
  },
);
