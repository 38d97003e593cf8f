import { expect, test } from 'vitest';
import { readText, TextTooLong } from './read-text.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

/** A response that arrives in chunks, and whether its reader cancelled it. */
function responseOf(chunks: readonly Uint8Array[], headers: Record<string, string> = {}) {
  const remaining = [...chunks];
  let isCancelled = false;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const chunk = remaining.shift();
      if (chunk === undefined) controller.close();
      else controller.enqueue(chunk);
    },
    cancel() {
      isCancelled = true;
    },
  });
  return { response: new Response(body, { headers }), isCancelled: () => isCancelled };
}

test('reads a body whole, with characters that are split between chunks', async () => {
  const whole = bytes('{"name":"João 🚗"}');
  const chunks = [...whole].map((byte) => Uint8Array.of(byte));

  expect(await readText(responseOf(chunks).response, whole.length)).toBe('{"name":"João 🚗"}');
  expect(await readText(new Response(null, { status: 204 }), 0)).toBe('');
});

test('rejects a body of one byte too many, and stops reading', async () => {
  const { response, isCancelled } = responseOf([bytes('abc'), bytes('de'), bytes('f')]);

  await expect(readText(response, 4)).rejects.toThrow(TextTooLong);
  expect(isCancelled()).toBe(true);
});

test('rejects a body by its Content-Length, without reading it', async () => {
  const { response, isCancelled } = responseOf([bytes('a')], { 'content-length': '5' });

  await expect(readText(response, 4)).rejects.toMatchObject({
    message: 'more than the limit of 4 bytes',
  });
  expect(isCancelled()).toBe(true);
});

test.each([
  [10 * 1024 * 1024, '10 MiB'],
  [65_536, '64 KiB'],
  [1_000, '1000 bytes'],
])('names a limit of %i bytes %s', (maxBytes, name) => {
  expect(new TextTooLong(maxBytes).message).toBe(`more than the limit of ${name}`);
});
