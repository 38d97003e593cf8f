/** Returns a text of letters alone for a number: digits are not part of an error's kind. */
export function letters(number: number): string {
  return number
    .toString(26)
    .replaceAll(/./gu, (digit) => String.fromCodePoint(97 + Number.parseInt(digit, 26)));
}
