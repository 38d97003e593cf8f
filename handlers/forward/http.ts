/** Headers and responses of the handler `forward`. */

/** Servers with a limit of 8 KiB for all headers must still accept the request. */
const MAX_HEADER_LENGTH = 512;

/**
 * Encodes a string as a header's value. A sender chooses kinds and ids, so every
 * character outside printable ASCII is percent-encoded as UTF-8.
 */
export function headerValue(value: string): string {
  return value
    .slice(0, MAX_HEADER_LENGTH)
    .replaceAll(/[^ -$&-~]/gu, (character) =>
      [...Buffer.from(character)]
        .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
        .join(''),
    );
}

/** Bytes of a response's body that are read to reuse its connection. */
const MAX_BODY_BYTES = 65_536;

/**
 * Reads and drops a response's body, so that the connection can be reused. A
 * longer body closes the connection. Errors are ignored: the status is known,
 * and only the status matters.
 */
export async function drain(response: Response): Promise<void> {
  try {
    let bytes = 0;
    for await (const chunk of response.body ?? []) {
      bytes += (chunk as Uint8Array).byteLength;
      // Leaving the loop cancels the body.
      if (bytes > MAX_BODY_BYTES) return;
    }
  } catch {
    // The connection broke, or the signal aborted.
  }
}
