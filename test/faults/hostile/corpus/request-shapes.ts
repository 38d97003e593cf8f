/** A request that two HTTP programs may parse differently. */
export interface RequestShape {
  readonly name: string;
  /** The bytes of the request with this body. `smuggled` is a complete request that the shape hides. */
  readonly bytes: (body: string, smuggled: string) => string;
}

const POST = 'POST /webhooks HTTP/1.1\r\nHost: localhost\r\n';
const lengthOf = (text: string): string => String(Buffer.byteLength(text));
const hex = (text: string): string => Buffer.byteLength(text).toString(16);
const chunk = (text: string): string => `${hex(text)}\r\n${text}\r\n`;
const END = '0\r\n\r\n';

/** A chunked body with an unusual Transfer-Encoding header and a contradicting length. */
function chunkedBy(name: string, header: string): RequestShape {
  return {
    name,
    bytes: (body, smuggled) =>
      `${POST}Content-Length: ${lengthOf(chunk(body) + END)}\r\n${header}\r\n\r\n${chunk(body)}${END}${smuggled}`,
  };
}

/** An unusual Content-Length header. */
function lengthAs(name: string, header: (body: string, rest: string) => string): RequestShape {
  return {
    name,
    bytes: (body, smuggled) => `${POST}${header(body, body + smuggled)}\r\n\r\n${body}${smuggled}`,
  };
}

/** Unusual chunks. */
function chunks(name: string, text: (body: string, smuggled: string) => string): RequestShape {
  return {
    name,
    bytes: (body, smuggled) => `${POST}Transfer-Encoding: chunked\r\n\r\n${text(body, smuggled)}`,
  };
}

/** Shapes that must be rejected, and after which the connection must be closed. */
export const ambiguousShapes: readonly RequestShape[] = [
  chunkedBy('a length and chunks', 'Transfer-Encoding: chunked'),
  {
    name: 'chunks and a length',
    bytes: (body, smuggled) =>
      `${POST}Transfer-Encoding: chunked\r\nContent-Length: ${lengthOf(chunk(body) + END + smuggled)}\r\n\r\n${chunk(body)}${END}${smuggled}`,
  },
  chunkedBy('chunks folded into the next line', 'Transfer-Encoding:\r\n chunked'),
  chunkedBy('a space before the colon', 'Transfer-Encoding : chunked'),
  chunkedBy('a line that begins with a space', ' Transfer-Encoding: chunked'),
  chunkedBy('an encoding that is nearly chunked', 'Transfer-Encoding: xchunked'),
  chunkedBy('an encoding behind a tab', 'Transfer-Encoding:\tchunked'),
  chunkedBy('an encoding with a control character', 'Transfer-Encoding: \u000bchunked'),
  chunkedBy('two encodings', 'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity'),
  chunkedBy('a header that ends in NUL', 'Transfer-Encoding: chunked\u0000'),
  chunkedBy('a bare carriage return in a header', 'X: a\rTransfer-Encoding: chunked'),
  lengthAs(
    'two lengths',
    (body, rest) => `Content-Length: ${lengthOf(body)}\r\nContent-Length: ${lengthOf(rest)}`,
  ),
  lengthAs(
    'the same length twice',
    (body) => `Content-Length: ${lengthOf(body)}\r\nContent-Length: ${lengthOf(body)}`,
  ),
  lengthAs('two lengths in one', (body, rest) => `Content-Length: ${lengthOf(body)}, ${lengthOf(rest)}`),
  lengthAs('a length with a sign', (body) => `Content-Length: +${lengthOf(body)}`),
  lengthAs('a negative length', () => 'Content-Length: -1'),
  lengthAs('a hexadecimal length', (body) => `Content-Length: 0x${hex(body)}`),
  lengthAs('a length with an exponent', () => 'Content-Length: 1e2'),
  lengthAs('a length beyond 2^64', () => 'Content-Length: 18446744073709551617'),
  lengthAs('no length in the header', () => 'Content-Length:'),
  lengthAs('a folded length', (body) => `Content-Length:\r\n ${lengthOf(body)}`),
  {
    name: 'an encoding that does not end in chunked',
    bytes: (body, smuggled) =>
      `${POST}Transfer-Encoding: chunked, identity\r\n\r\n${chunk(body)}${END}${smuggled}`,
  },
  {
    name: 'chunked twice',
    bytes: (body, smuggled) =>
      `${POST}Transfer-Encoding: chunked, chunked\r\n\r\n${chunk(body)}${END}${smuggled}`,
  },
  chunks('a chunk size with 0x', (body, smuggled) => `0x${hex(body)}\r\n${body}\r\n${END}${smuggled}`),
  chunks('a negative chunk size', (body, smuggled) => `-${hex(body)}\r\n${body}\r\n${END}${smuggled}`),
  chunks(
    'a chunk size of 17 digits',
    (body, smuggled) => `F0000000000000000${hex(body)}\r\n${body}\r\n${END}${smuggled}`,
  ),
  chunks(
    'a length in the trailers',
    (body, smuggled) => `${chunk(body)}0\r\nContent-Length: 1\r\n\r\n${smuggled}`,
  ),
  chunks('no chunk size', (body, smuggled) => `\r\n${body}\r\n${END}${smuggled}`),
  chunks('a chunk size behind a space', (body, smuggled) => ` ${hex(body)}\r\n${body}\r\n${END}${smuggled}`),
  chunks(
    'a chunk size that ends in LF alone',
    (body, smuggled) => `${hex(body)}\n${body}\r\n${END}${smuggled}`,
  ),
  chunks('a chunk longer than it says', (body, smuggled) => `${hex(body)}\r\n${body}!!\r\n${END}${smuggled}`),
  chunks('a chunk without its end', (body, smuggled) => `${hex(body)}\r\n${body}${END}${smuggled}`),
  chunks('LF in a chunk extension', (body, smuggled) => `${hex(body)};a\n\r\n${body}\r\n${END}${smuggled}`),
  {
    name: 'lines that end in LF alone',
    bytes: (body, smuggled) =>
      `POST /webhooks HTTP/1.1\nHost: localhost\nContent-Length: ${lengthOf(body)}\n\n${body}${smuggled}`,
  },
  {
    name: 'an empty header name',
    bytes: (body, smuggled) => `${POST}: x\r\nContent-Length: ${lengthOf(body)}\r\n\r\n${body}${smuggled}`,
  },
  {
    name: 'a line that is no header',
    bytes: (body, smuggled) => `${POST}hello\r\nContent-Length: ${lengthOf(body)}\r\n\r\n${body}${smuggled}`,
  },
  {
    name: 'no host',
    bytes: (body, smuggled) =>
      `POST /webhooks HTTP/1.1\r\nContent-Length: ${lengthOf(body)}\r\n\r\n${body}${smuggled}`,
  },
  {
    name: 'two hosts',
    bytes: (body, smuggled) =>
      `${POST}Host: elsewhere\r\nContent-Length: ${lengthOf(body)}\r\n\r\n${body}${smuggled}`,
  },
  {
    name: 'chunks in HTTP/1.0',
    bytes: (body, smuggled) =>
      `POST /webhooks HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n${chunk(body)}${END}${smuggled}`,
  },
];

/** Unusual but unambiguous shapes: the body is accepted, and so is the request behind it. */
export const clearShapes: readonly RequestShape[] = [
  lengthAs('a length', (body) => `Content-Length: ${lengthOf(body)}`),
  lengthAs('a length with zeros before it', (body) => `Content-Length: 000${lengthOf(body)}`),
  chunks('one chunk', (body, smuggled) => `${chunk(body)}${END}${smuggled}`),
  chunks(
    'a chunk for each character',
    (body, smuggled) => `${body.split('').map(chunk).join('')}${END}${smuggled}`,
  ),
  chunks('a chunk extension', (body, smuggled) => `${hex(body)};a=b;c="d"\r\n${body}\r\n${END}${smuggled}`),
  chunks('trailers', (body, smuggled) => `${chunk(body)}0\r\nX: y\r\n\r\n${smuggled}`),
  {
    name: 'an encoding in capitals',
    bytes: (body, smuggled) => `${POST}TRANSFER-ENCODING: CHUNKED\r\n\r\n${chunk(body)}${END}${smuggled}`,
  },
  {
    name: 'an address in full',
    bytes: (body, smuggled) =>
      `POST http://elsewhere/webhooks HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${lengthOf(body)}\r\n\r\n${body}${smuggled}`,
  },
];

/** Bytes that are not HTTP/1.1. */
export const foreignShapes: readonly RequestShape[] = [
  { name: 'HTTP/0.9', bytes: (_, smuggled) => `POST /webhooks\r\n\r\n${smuggled}` },
  {
    name: 'HTTP/0.9 with headers',
    bytes: (body, smuggled) =>
      `POST /webhooks\r\nHost: localhost\r\nContent-Length: ${lengthOf(body)}\r\n\r\n${body}${smuggled}`,
  },
  {
    name: 'HTTP/2.0 with headers',
    bytes: (body, smuggled) =>
      `${POST.replace('1.1', '2.0')}Content-Length: ${lengthOf(body)}\r\n\r\n${body}${smuggled}`,
  },
  { name: 'HTTP/2', bytes: (_, smuggled) => `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${smuggled}` },
  {
    name: 'HTTP/9.9',
    bytes: (body, smuggled) =>
      `POST /webhooks HTTP/9.9\r\nHost: a\r\nContent-Length: ${lengthOf(body)}\r\n\r\n${body}${smuggled}`,
  },
  { name: 'TLS', bytes: () => '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003' },
  {
    name: 'a method that is none',
    bytes: (_, smuggled) => `HACK /webhooks HTTP/1.1\r\nHost: a\r\n\r\n${smuggled}`,
  },
  {
    name: 'a tunnel',
    bytes: (_, smuggled) => `CONNECT localhost:9090 HTTP/1.1\r\nHost: a\r\n\r\n${smuggled}`,
  },
  { name: 'noise', bytes: () => '\u0000\u00ff\u0001{"type":' },
];
