import type { Draws } from '../../kit/seed.ts';

/** Bytes that HTTP parsers are known to treat differently. */
const slips = [
  ...' \t\r\n:,;=+-0x1fF"\\/\u0000\u000b\u000c\u007f\u0085\u00a0\u00ff'.split(''),
  ...[
    '\r\n',
    '\n\n',
    '\r\n\r\n',
    '\r\r\n',
    ' \r\n ',
    '\r\nX: ',
    'HTTP/1.0',
    ' HTTP/1.1',
    '\r\nContent-Length: 5',
    '\r\nContent-Length: 0',
  ],
  ...[
    '\r\nTransfer-Encoding: chunked',
    '\r\nTransfer-Encoding: identity',
    '\r\nConnection: close',
    '\r\nHost: localhost',
    'GET ',
    '0\r\n\r\n',
    '\r\nExpect: 100-continue',
  ],
];

/** Mutates the head of a request once or twice: bytes are removed, repeated or inserted. */
export function slipped(request: string, between: Draws['between']): string {
  const head = request.indexOf('\r\n\r\n') + 4;
  let text = request;
  for (let count = between(1, 2); count > 0; count -= 1) {
    const at = between(0, head);
    const lost = between(0, 2);
    const doubled = text.slice(at, at + between(1, 8));
    const added = [doubled, slips[between(0, slips.length - 1)] ?? '', ''][between(0, 2)] ?? '';
    text = text.slice(0, at) + added + text.slice(at + lost);
  }
  return text;
}
