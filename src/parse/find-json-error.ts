/** Where text stops being JSON. */
export interface JsonError {
  /** From 1. */
  readonly line: number;
  /** From 1, in UTF-16 units. */
  readonly column: number;
  /** Whether the text ends before its value does. */
  readonly atEnd: boolean;
}

/**
 * The first place where `text` is not JSON (RFC 8259); undefined when it is.
 *
 * JSON.parse knows, but its message quotes the text around the place, which may
 * be personal data, and names the place only sometimes. Recursive: depth is to
 * be bounded before (see `nestedDeeper`).
 */
export function findJsonError(text: string): JsonError | undefined {
  const reader = new JsonReader(text);
  return reader.value() && reader.end() ? undefined : locate(text, reader.at);
}

/** Each method tells whether it read what it is named for, and leaves `at` behind it or at the error. */
class JsonReader {
  at = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  value(): boolean {
    this.#space();
    if (this.#character('{')) return this.#list('}', () => this.#member());
    if (this.#character('[')) return this.#list(']', () => this.value());
    if (this.#character('"')) return this.#restOfString();
    const first = this.#text[this.at] ?? '';
    if (first === '-' || (first >= '0' && first <= '9')) return this.#number();
    return this.#word('true') || this.#word('false') || this.#word('null');
  }

  end(): boolean {
    this.#space();
    return this.at === this.#text.length;
  }

  #list(close: string, item: () => boolean): boolean {
    this.#space();
    if (this.#character(close)) return true;
    do {
      if (!item()) return false;
      this.#space();
    } while (this.#character(','));
    return this.#character(close);
  }

  #member(): boolean {
    this.#space();
    if (!this.#character('"') || !this.#restOfString()) return false;
    this.#space();
    return this.#character(':') && this.value();
  }

  /** Unit by unit: a regular expression would run out of stack on a string of megabytes. */
  #restOfString(): boolean {
    for (;;) {
      const unit = this.#text[this.at];
      // Control characters, the end of the text among them, must be escaped.
      if (unit === undefined || unit < ' ') return false;
      this.at += 1;
      if (unit === '"') return true;
      if (unit === '\\' && !this.#escape()) return false;
    }
  }

  #escape(): boolean {
    if (!this.#character('u')) return this.#oneOf('"\\/bfnrt');
    for (let digit = 0; digit < 4; digit += 1) if (!this.#oneOf('0123456789abcdefABCDEF')) return false;
    return true;
  }

  #number(): boolean {
    this.#character('-');
    if (!this.#character('0') && !this.#digits()) return false;
    if (this.#character('.') && !this.#digits()) return false;
    if (!this.#oneOf('eE')) return true;
    this.#oneOf('+-');
    return this.#digits();
  }

  #digits(): boolean {
    const start = this.at;
    while (this.#oneOf('0123456789'));
    return this.at > start;
  }

  #word(word: string): boolean {
    if (!this.#text.startsWith(word, this.at)) return false;
    this.at += word.length;
    return true;
  }

  #space(): void {
    while (this.#oneOf(' \t\n\r'));
  }

  #character(wanted: string): boolean {
    if (this.#text[this.at] !== wanted) return false;
    this.at += 1;
    return true;
  }

  #oneOf(wanted: string): boolean {
    const unit = this.#text[this.at];
    if (unit === undefined || !wanted.includes(unit)) return false;
    this.at += 1;
    return true;
  }
}

function locate(text: string, offset: number): JsonError {
  let line = 1;
  let lineStart = 0;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) {
    line += 1;
    lineStart = at + 1;
  }
  return { line, column: offset - lineStart + 1, atEnd: offset === text.length };
}
