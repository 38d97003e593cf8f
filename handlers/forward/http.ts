/** Headers and responses of the handler `forward`. */
import { maskPersonalData, maskText } from 'portaria';

/** The payload of an event, whatever its kind. */
interface Payload {
  readonly kind: string;
  readonly data: unknown;
}

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

/** Characters of a response's text that a reason quotes. */
const MAX_QUOTED = 200;

/**
 * Reads a response's body, so that the connection can be reused, and returns the beginning of a text in one line,
 * quoted, with likely personal data and that of the event masked: reasons are stored. A longer or slower body closes
 * the connection. Errors are ignored: the status is known, and it decides.
 */
export async function readBeginning(response: Response, event: Payload, maxMs: number): Promise<string> {
  const isText = /^text\/|json/u.test(response.headers.get('content-type') ?? '');
  const decoder = new TextDecoder();
  const reader = response.body?.getReader() as ReadableStreamDefaultReader<Uint8Array> | undefined;
  const cancel = (): void => void reader?.cancel().catch(() => undefined);
  const timer = setTimeout(cancel, maxMs);
  let text = '';
  try {
    for (let bytes = 0; bytes <= MAX_BODY_BYTES;) {
      const part = (await reader?.read())?.value;
      if (part === undefined) break;
      if (isText && text.length < 4 * MAX_QUOTED) text += decoder.decode(part, { stream: true });
      bytes += part.byteLength;
    }
  } catch {
    // The connection broke, or the signal aborted.
  }
  clearTimeout(timer);
  cancel();
  // Masked before it is cut: half of a number is not recognized.
  const line = withoutValues(text.slice(0, 4 * MAX_QUOTED), event)
    .replaceAll(/[\s"]+/gu, ' ')
    .trim();
  const cut = line.length > MAX_QUOTED ? `${line.slice(0, MAX_QUOTED)}…` : line;
  return cut === '' ? '' : `: "${cut}"`;
}

/** A target often repeats what it rejects, such as a name, which no pattern recognizes. */
function withoutValues(text: string, { kind, data }: Payload): string {
  const values = personalValues(
    maskPersonalData(kind, data as Parameters<typeof maskPersonalData>[1]),
    data,
  ).filter(({ length }) => length > 2);
  return maskText(
    values
      .toSorted((one, other) => other.length - one.length)
      .reduce((rest, value) => rest.replaceAll(value, '***'), text),
  );
}

/** The texts and numbers of a payload that are masked in another one. */
function personalValues(masked: unknown, given: unknown): readonly string[] {
  if (typeof given === 'string' || typeof given === 'number') return masked === given ? [] : [String(given)];
  if (typeof given !== 'object' || given === null) return [];
  const shown = (masked ?? {}) as Readonly<Record<string, unknown>>;
  return Object.entries(given).flatMap(([name, value]) => personalValues(shown[name], value));
}
