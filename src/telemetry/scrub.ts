const LONGEST = 500;

/** What looks like personal data in free text, and what stands for it. */
const patterns: readonly (readonly [RegExp, string])[] = [
  // An address keeps its host and path; credentials and queries carry tokens.
  [/(\bhttps?:\/\/)[^\s/@]+@/giu, '$1'],
  [/(\bhttps?:\/\/[^\s?#]+)[?#][^\s]*/giu, '$1?<query>'],
  [/[\w.+-]+@[\w-]+(?:\.[\w-]+)+/gu, '<email>'],
  // A CNPJ, letters or not, plain or punctuated.
  [/\b[0-9A-Z]{2}\.?[0-9A-Z]{3}\.?[0-9A-Z]{3}\/?[0-9A-Z]{4}-?[0-9]{2}\b/gu, '<cnpj>'],
  [/\b\d{3}\.?\d{3}\.?\d{3}-?\d{2}\b/gu, '<cpf>'],
  // Phones, licences, barcodes and whatever else is a long number; a date is not.
  [/(?<!\d)(?!\d{4}-\d{2}-\d{2}(?!\d))\+?\d[\d ()-]{8,}\d/gu, '<number>'],
];

/**
 * An error's text, fit for a log: what looks like personal data replaced, on one
 * line, at most 500 characters. A handler's error may quote the payload it
 * choked on; this is the net below it, not a licence to quote.
 */
export function scrub(text: string): string {
  // Cut first, generously, so that no text makes the patterns slow.
  const scrubbed = patterns.reduce(
    (rest, [pattern, stand]) => rest.replaceAll(pattern, stand),
    text.slice(0, 4 * LONGEST).replaceAll(/\s+/gu, ' '),
  );
  return scrubbed.length > LONGEST ? `${scrubbed.slice(0, LONGEST)}…` : scrubbed;
}
