/** A header as long as this would be refused by many servers, together with the event. */
const LONGEST = 512;

/**
 * Text as a header's value. Kinds and ids are whatever the sender wrote, so
 * what is not printable ASCII goes percent-encoded, as UTF-8.
 */
export function headerText(text: string): string {
  return text
    .slice(0, LONGEST)
    .replaceAll(/[^ -$&-~]/gu, (character) =>
      [...Buffer.from(character)]
        .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
        .join(''),
    );
}
