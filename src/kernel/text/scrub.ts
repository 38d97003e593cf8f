/** Removes personal data and credentials from messages, as far as they can be recognized. */

/** The maximum length of a message, in characters. */
const MAX_LENGTH = 500;

/** The ends of names of credentials: of `access_token`, `clientSecret` and `set-cookie`, too. */
const NAMES = 'password|passwd|pwd|senha|segredo|secret|token|api[_-]?key|authorization|cookie';

/** A name in a text, with a quote before it. In a text of JSON within JSON, quotes are escaped. */
const NAMED = String.raw`(?<![\w\\-])(\\*["']?[\w-]*(?:${NAMES})`;

/** Credentials in free text and in texts of JSON, which stay JSON. */
const credentials: readonly (readonly [RegExp, string])[] = [
  // A word after these is no credential: a capital in it, a digit, or its length shows one.
  [
    /\b([Bb]earer\s+|BEARER\s+|[Bb]asic\s+|BASIC\s+)(?=[^\s"'\\,;<>]{16}|[^\s"'\\,;<>]{0,15}?(?:[\d=]|[a-z][A-Z]))[^\s"'\\,;<>]{6,}/gu,
    '$1<secret>',
  ],
  [
    /\b(cookie\s*[:=]\s*)[^\s"'\\,;:=]{1,99}=[^\s"'\\;]*(?:;\s*[^\s"'\\,;:=]{1,99}=[^\s"'\\;]*)*/giu,
    '$1<secret>',
  ],
  [
    new RegExp(String.raw`${NAMED}\\*["']?\s*[:=]\s*)(\\{0,15}["'])(?:(?!\2)(?:\\.|.))*`, 'giu'),
    '$1$2<secret>',
  ],
  // "Unexpected token: x" is none.
  [
    new RegExp(
      String.raw`${NAMED}(?:\\*["']\s*[:=]|\s*=|(?<!token|secret|cookie)\s*:)\s*)(?:(?:Basic|Bearer)\s+)?` +
        String.raw`(?:<secret>|(?!=|(?:null|true|false)\b)[^\s"'\\,;&<>()[\]{}]+)`,
      'giu',
    ),
    '$1<secret>',
  ],
];

const CREDENTIAL = new RegExp(`(?:${NAMES})$`, 'iu');

type Replacement = string | ((match: string, ...groups: (string | undefined)[]) => string);

/**
 * Personal data and credentials in free text, with their replacements. Letters and underscores may stand right
 * before a number. Each pattern takes linear time: a failed match never begins again within the same run.
 */
const patterns: readonly (readonly [RegExp, Replacement])[] = [
  ...credentials,
  // A URL keeps its host and path; user info and queries may carry tokens. A password may contain `/` and `@`.
  [
    /:\/\/(?:[^\s/?#:@[]*:(?!\d*(?:[/?#\s]|$))\S*@|[^\s/?#]*@)?([^\s?#&]*)([?#&]\S*)?/gu,
    (_, host = '', query) => `://${host}${query === undefined ? '' : '?<query>'}`,
  ],
  // The version of a package, as in node_modules/.pnpm/axios@1.7.2, is none.
  [
    /(?<![\p{L}\p{N}\p{M}_.+%-])[\p{L}\p{N}\p{M}_.+%-]+@(?!\d+\.\d+\.\d)[\p{L}\p{N}\p{M}_-]+(?:\.[\p{L}\p{N}\p{M}_-]+)+/gu,
    '<email>',
  ],
  // A CNPJ: with letters, with all punctuation, or of digits alone.
  [/\b[0-9A-Z]{2}\.?[0-9A-Z]{3}\.?[0-9A-Z]{3}\/?[0-9A-Z]{4}[-‐-―−]?[0-9]{2}\b/gu, '<cnpj>'],
  // A word of small letters alone is none.
  [
    /\b(?=(?:[a-z][./]?){0,11}\d)[0-9a-z]{2}\.?[0-9a-z]{3}\.?[0-9a-z]{3}\/?[0-9a-z]{4}[-‐-―−]?[0-9]{2}\b/giu,
    '<cnpj>',
  ],
  [/[0-9A-Z]{2}\.[0-9A-Z]{3}\.[0-9A-Z]{3}\/[0-9A-Z]{4}[-‐-―−]?[0-9]{2}(?!\d)/giu, '<cnpj>'],
  [/(?<!\d)\d{2}\.?\d{3}\.?\d{3}\/?\d{4}[-‐-―−]?\d{2}(?!\d)/gu, '<cnpj>'],
  [/(?<!\d)\d{3}\.?\d{3}\.?\d{3}[-‐-―−]?\d{2}(?!\d)/gu, '<cpf>'],
  // After another number and a dot, this is a network such as 10.192.168.100/24.
  [/(?<!\d|\d\.)\d{3}\.?\d{3}\.?\d{3}\/\d{2}(?!\d)/gu, '<cpf>'],
  // Phones, driver licences, barcodes and other long numbers, but not dates.
  [/(?<!\d)(?!\d{4}-\d{2}-\d{2}(?!\d))\+?\d[\d\s()‐-―−-]{8,}\d/gu, '<number>'],
];

/** Forms of ASCII that are as wide as other characters of East Asia. */
const FULL_WIDTH = /[\uFF01-\uFF5E]/gu;

/** Characters that show nothing, but for those that join an emoji: they hide a number from the patterns. */
const UNSEEN = /(?<!\p{Extended_Pictographic}\uFE0F?)\p{Cf}/gu;

/** Whether a field of this name holds a credential. */
export function isCredential(name: string): boolean {
  return CREDENTIAL.test(name);
}

/** Replaces likely credentials. */
export function maskCredentials(text: string): string {
  return credentials.reduce((rest, [pattern, replacement]) => rest.replaceAll(pattern, replacement), text);
}

/** Replaces likely personal data and credentials. A safety net for errors of handlers that quote a payload. */
export function maskText(given: string): string {
  const text = given
    .toWellFormed()
    .replaceAll(FULL_WIDTH, (wide) => wide.normalize('NFKC'))
    .replaceAll(UNSEEN, '');
  return patterns.reduce(
    (rest, [pattern, replacement]) =>
      typeof replacement === 'string'
        ? rest.replaceAll(pattern, replacement)
        : rest.replaceAll(pattern, replacement),
    text,
  );
}

/** Makes an error message fit for a log: masked, one line, at most 500 characters. */
export function scrub(message: string): string {
  const scrubbed = maskText(message.slice(0, 4 * MAX_LENGTH).replaceAll(/\s+/gu, ' '));
  return scrubbed.length > MAX_LENGTH ? `${scrubbed.slice(0, MAX_LENGTH)}…` : scrubbed;
}
