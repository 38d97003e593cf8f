/** Groups errors that differ only in numbers, ids and other details. */
import { createHash } from 'node:crypto';
import { maskText } from './scrub.ts';

/** Characters of an error that are compared. */
const MAX_INPUT = 600;
/** Characters of a kind. */
const MAX_KIND = 200;

/** What stands in a kind for a number, an id, a quotation or a name. */
const FOLDED = '…';

// An import of node:http loads fetch and WebSocket, too: as long as Node's own start, in each thread and command.
const statusPhrases = new Set(Object.values(process.getBuiltinModule('node:http').STATUS_CODES));

type Replace = (match: string, ...groups: string[]) => string;

/** Parts of an error that differ from case to case, with what stands for them. In this order. */
const variable: readonly (readonly [RegExp, string | Replace])[] = [
  // The line of code that threw is of a version of a file, not of the error.
  [/ \(at .*\)$/gu, ''],
  // What a target says differs from case to case; its status does not.
  [/\[response (?:([1-5]\d\d)|)[^\]]*\]?.*?(?= <- |$)/gu, '[response <$1>]'],
  [/"[^"]*"|“[^”]*”|«[^»]*»|`[^`]*`/gu, `"${FOLDED}"`],
  [/(?<![\p{L}\p{N}])'[^']*'(?![\p{L}\p{N}])/gu, `'${FOLDED}'`],
  [/(:\/\/[^\s/?#]*)[^\s,;)]*/gu, '$1'],
  [/<[a-z]+>/gu, FOLDED],
  // The status of a response says what went wrong; other numbers say to whom.
  [/\b(HTTP|status(?: code)?|responded(?: with)?|answered(?: with)?|\[)( ?)([1-5]\d\d)\b/giu, '$1$2<$3>'],
  [/(?<![<\p{L}\p{N}]|UTF-)(?!UTF-8\b)[\p{L}\p{N}_:.@#/-]*\d[\p{L}\p{N}_:.@#/-]*/gu, FOLDED],
  // Two capitalised words beside each other are the name of a person or a company.
  [
    /(?<![\p{L}<])\p{Lu}[\p{Ll}\p{M}]+(?: (?:d[aeo]s? |e )?\p{Lu}[\p{Ll}\p{M}]+)+/gu,
    (name) => (statusPhrases.has(name) ? name : FOLDED),
  ],
  [/<(\d{3})>/gu, '$1'],
  [/…(?:[\s,:/.-]*…)+/gu, FOLDED],
];

/** The name of an error and its code, which stay as they are: `TypeError: `, `Error [ECONNREFUSED]: `. */
const CLASS = /^(?:[A-Z][A-Za-z]*(?:Error|Exception)?(?: \[[A-Za-z0-9_]{1,40}\])?: )?/u;

/**
 * Returns the kind of an error: its class and its text, without what differs from case to case (numbers, ids,
 * quotations, names, likely personal data). Errors of one cause have the same kind.
 */
export function errorKind(error: string): string {
  const line = error.slice(0, MAX_INPUT).replaceAll(/\s+/gu, ' ').trim();
  const [name = ''] = CLASS.exec(line) ?? [];
  const text = variable.reduce(
    (rest, [pattern, replacement]) =>
      typeof replacement === 'string'
        ? rest.replaceAll(pattern, replacement)
        : rest.replaceAll(pattern, replacement),
    maskText(line.slice(name.length)),
  );
  return bounded(name + text.trim());
}

/** Returns 12 hexadecimal digits that are the same for the same text, in every process and version. */
export function fingerprintOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}

function bounded(kind: string): string {
  return kind.length > MAX_KIND ? `${kind.slice(0, MAX_KIND)}${FOLDED}` : kind;
}
