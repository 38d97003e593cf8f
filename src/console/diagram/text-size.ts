/** A text that fits into a box of the diagram, and how wide it is. */
export interface FittedText {
  readonly text: string;
  /** In pixels, of the fixed-width face. */
  readonly width: number;
}

/** A character of the fixed-width face at 12.5 pixels. */
const CHARACTER = 7.6;
/** Characters of East Asian scripts and pictures take two columns. */
const WIDE =
  /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE4F\uFF00-\uFF60\u{1F000}-\u{3FFFD}]/u;
/** Characters that change the direction of what follows, or break the line. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** Cuts a text to a number of columns, with an ellipsis; control characters become a replacement character. */
export function fitText(text: string, columns: number): FittedText {
  const characters = Array.from(text.replaceAll(UNPRINTABLE, '\uFFFD'));
  let used = 0;
  let fitted = '';
  for (const [index, character] of characters.entries()) {
    const width = WIDE.test(character) ? 2 : 1;
    const isLast = index === characters.length - 1;
    if (used + width > (isLast ? columns : columns - 1))
      return { text: `${fitted}…`, width: (used + 1) * CHARACTER };
    fitted += character;
    used += width;
  }
  return { text: fitted, width: used * CHARACTER };
}
