/** Writes words of commands that a person copies into a POSIX shell. */

/** Quotes a word if it holds special characters, such as a space or the `&` of a URL. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : shellQuoted(word);
}

/** Within single quotes nothing is special but the quote. */
export function shellQuoted(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
