/** A text of which no more is read. Its message is a phrase that names the bound. */
export class TextTooLong extends Error {
  override readonly name = 'TextTooLong';

  constructor(mostBytes: number) {
    super(`more than ${sizeText(mostBytes)}, the most that is read`);
  }
}

/**
 * The body of a response as text, decompressed and counted while it is read.
 * A longer one is not read on, and its connection is closed.
 *
 * @throws TextTooLong, and whatever reading failed with.
 */
export async function readText({ body, headers }: Response, mostBytes: number): Promise<string> {
  if (body === null) return '';
  const reader: ReadableStreamDefaultReader<Uint8Array> = body.getReader();
  const decoder = new TextDecoder();
  let bytes = 0;
  let text = '';
  try {
    if (Number(headers.get('content-length') ?? 0) > mostBytes) throw new TextTooLong(mostBytes);
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return text + decoder.decode();
      bytes += value.byteLength;
      if (bytes > mostBytes) throw new TextTooLong(mostBytes);
      text += decoder.decode(value, { stream: true });
    }
  } finally {
    // After the end there is nothing to cancel.
    reader.cancel().catch(() => undefined);
  }
}

/** Bounds are round. */
function sizeText(bytes: number): string {
  for (const [unit, size] of [
    ['MiB', 1024 * 1024],
    ['KiB', 1024],
  ] as const)
    if (bytes >= size && bytes % size === 0) return `${String(bytes / size)} ${unit}`;
  return `${String(bytes)} bytes`;
}
