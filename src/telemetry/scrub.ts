/** Characters. */
const MAX_LENGTH = 500;

/** Patterns of personal data and credentials in free text, with their replacements. */
const patterns: readonly (readonly [RegExp, string])[] = [
  // A URL keeps its host and path; user info and queries may carry tokens.
  [/(\bhttps?:\/\/)[^\s/@]+@/giu, '$1'],
  [/(\bhttps?:\/\/[^\s?#]+)[?#][^\s]*/giu, '$1?<query>'],
  [/[\w.+-]+@[\w-]+(?:\.[\w-]+)+/gu, '<email>'],
  // A CNPJ, with or without letters and punctuation.
  [/\b[0-9A-Z]{2}\.?[0-9A-Z]{3}\.?[0-9A-Z]{3}\/?[0-9A-Z]{4}-?[0-9]{2}\b/gu, '<cnpj>'],
  [/\b\d{3}\.?\d{3}\.?\d{3}-?\d{2}\b/gu, '<cpf>'],
  // Phones, driver licences, barcodes and other long numbers, but not dates.
  [/(?<!\d)(?!\d{4}-\d{2}-\d{2}(?!\d))\+?\d[\d ()-]{8,}\d/gu, '<number>'],
];

/**
 * Makes an error message fit for a log: one line of at most 500 characters, with likely personal data
 * replaced. It is a safety net for handlers whose errors quote a payload.
 */
export function scrub(message: string): string {
  // Truncate first, so that no message makes the patterns slow.
  const scrubbed = patterns.reduce(
    (rest, [pattern, replacement]) => rest.replaceAll(pattern, replacement),
    message.slice(0, 4 * MAX_LENGTH).replaceAll(/\s+/gu, ' '),
  );
  return scrubbed.length > MAX_LENGTH ? `${scrubbed.slice(0, MAX_LENGTH)}…` : scrubbed;
}
