/** Bytes of an answer that are read to keep its connection; a longer one is cut off. */
const MOST = 65_536;

/**
 * Reads an answer's body to its end and drops it, so that the connection can
 * be used again. What goes wrong on the way does not matter: the status has
 * come, and it decides.
 */
export async function drain(response: Response): Promise<void> {
  try {
    let bytes = 0;
    for await (const chunk of response.body ?? []) {
      bytes += (chunk as Uint8Array).byteLength;
      // Leaving the loop cancels the rest.
      if (bytes > MOST) return;
    }
  } catch {
    // The connection broke, or time was up.
  }
}
