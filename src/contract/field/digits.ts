const ZERO = 0x30;

/** The whole number written in ASCII digits from `start` up to `end`; NaN when anything else stands there. */
export function digitsBetween(text: string, start: number, end: number): number {
  let number = 0;
  for (let at = start; at < end; at += 1) {
    const digit = text.charCodeAt(at) - ZERO;
    // Beyond the end of the text it is NaN, which is neither.
    if (!(digit >= 0 && digit <= 9)) return NaN;
    number = number * 10 + digit;
  }
  return number;
}
