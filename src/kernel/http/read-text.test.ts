import { expect, test } from 'vitest';
import { readText, TextTooLong } from './read-text.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

/** A response of these pieces, and whether its reader let go of it. */
function responseOf(pieces: readonly Uint8Array[], headers: Record<string, string> = {}) {
  const left = [...pieces];
  let isCancelled = false;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const piece = left.shift();
      if (piece === undefined) controller.close();
      else controller.enqueue(piece);
    },
    cancel() {
      isCancelled = true;
    },
  });
  return { response: new Response(body, { headers }), isCancelled: () => isCancelled };
}

test('a text is read whole, its characters as they are, wherever they are cut', async () => {
  const whole = bytes('{"name":"João 🚗"}');
  const pieces = [...whole].map((byte) => Uint8Array.of(byte));

  expect(await readText(responseOf(pieces).response, whole.length)).toBe('{"name":"João 🚗"}');
  expect(await readText(new Response(null, { status: 204 }), 0)).toBe('');
});

test('one byte more is too long, and nothing more is read', async () => {
  const { response, isCancelled } = responseOf([bytes('abc'), bytes('de'), bytes('f')]);

  await expect(readText(response, 4)).rejects.toThrow(TextTooLong);
  expect(isCancelled()).toBe(true);
});

test('what is announced too long is not read at all', async () => {
  const { response, isCancelled } = responseOf([bytes('a')], { 'content-length': '5' });

  await expect(readText(response, 4)).rejects.toMatchObject({
    message: 'more than 4 bytes, the most that is read',
  });
  expect(isCancelled()).toBe(true);
});

test.each([
  [10 * 1024 * 1024, '10 MiB'],
  [65_536, '64 KiB'],
  [1_000, '1000 bytes'],
])('a bound of %i is named %s', (mostBytes, name) => {
  expect(new TextTooLong(mostBytes).message).toBe(`more than ${name}, the most that is read`);
});
