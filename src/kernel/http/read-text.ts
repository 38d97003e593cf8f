/** A body is longer than its limit. The message is a phrase that names the limit. */
export class TextTooLong extends Error {
  override readonly name = 'TextTooLong';

  constructor(maxBytes: number) {
    super(`more than the limit of ${sizeText(maxBytes)}`);
  }
}

/**
 * Reads the body of a response as text, and counts its decompressed bytes. Stops at `maxBytes` and closes the
 * connection.
 *
 * @throws TextTooLong; any error of the connection
 */
export async function readText({ body, headers }: Response, maxBytes: number): Promise<string> {
  if (body === null) return '';
  const reader: ReadableStreamDefaultReader<Uint8Array> = body.getReader();
  const decoder = new TextDecoder();
  let bytes = 0;
  let text = '';
  try {
    if (Number(headers.get('content-length') ?? 0) > maxBytes) throw new TextTooLong(maxBytes);
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return text + decoder.decode();
      bytes += value.byteLength;
      if (bytes > maxBytes) throw new TextTooLong(maxBytes);
      text += decoder.decode(value, { stream: true });
    }
  } finally {
    // Does nothing once the body has ended.
    reader.cancel().catch(() => undefined);
  }
}

/** In the largest unit that divides the size: limits are round numbers. */
function sizeText(bytes: number): string {
  for (const [unit, size] of [
    ['MiB', 1024 * 1024],
    ['KiB', 1024],
  ] as const)
    if (bytes >= size && bytes % size === 0) return `${String(bytes / size)} ${unit}`;
  return `${String(bytes)} bytes`;
}
