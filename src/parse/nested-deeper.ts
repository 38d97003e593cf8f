const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Whether JSON text nests objects and arrays deeper than `levels`. Looks at
 * brackets only, without a stack, so that a body of a hundred thousand of them
 * costs nothing but its length: to be asked before anything recursive sees the
 * text. Of text that is not JSON the answer is meaningless, but safe: up to the
 * first error it is the depth that a parser would have reached.
 */
export function nestedDeeper(text: string, levels: number): boolean {
  // Webhooks open a handful; searching for them costs a thirtieth of looking at every character.
  return opensMore(text, levels) && reachesDeeper(text, levels);
}

/** Whether more than `most` brackets open, those in strings among them. */
function opensMore(text: string, most: number): boolean {
  let opened = 0;
  for (const bracket of ['{', '[']) {
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1)) {
      opened += 1;
      if (opened > most) return true;
    }
  }
  return false;
}

function reachesDeeper(text: string, levels: number): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (inString) {
      if (unit === BACKSLASH) at += 1;
      else if (unit === QUOTE) inString = false;
    } else if (unit === QUOTE) inString = true;
    // `[` and `{` differ in one bit, and so do `]` and `}`; no other character matches.
    else if ((unit | 0x20) === 0x7b) {
      depth += 1;
      if (depth > levels) return true;
    } else if ((unit | 0x20) === 0x7d) depth -= 1;
  }
  return false;
}
