/** Compiles the templates of scheme `signed`: what a header holds, and what is signed. */
import { suggest } from '../../kernel/text/suggest.ts';

/** A part of a template: literal text, or the place of a value. */
export type Part =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: Simple }
  | { readonly type: 'header'; readonly name: string }
  | { readonly type: 'query'; readonly name: string; readonly isLower: boolean }
  /** Left out where a header or parameter in it is not sent. */
  | { readonly type: 'optional'; readonly parts: readonly Part[] };

const simple = ['body', 'timestamp', 'id', 'signature', 'method', 'path', 'url'] as const;
type Simple = (typeof simple)[number];

const SIGNED = [...simple.filter((name) => name !== 'signature'), 'header:name', 'query:name'];
const READ = ['timestamp', 'id', 'signature'];

/** The parts of a template, or what is wrong with it, as the end of a sentence. */
export type Compiled<T> =
  | { readonly value: T; readonly mistake?: undefined }
  | { readonly value?: undefined; readonly mistake: string };

/** Brackets around text with a header or a parameter. Others are text. */
const OPTIONAL = /\[([^[\]]*\{(?:header|query):[^[\]]*)\]/;

/** Compiles what the sender signs. */
export function compileSigned(template: string): Compiled<readonly Part[]> {
  const parts: Part[] = [];
  for (const [at, text] of template.split(OPTIONAL).entries()) {
    const isOptional = at % 2 === 1;
    const { value, mistake } = partsOf(text, isOptional ? ['header:name', 'query:name'] : SIGNED);
    if (mistake !== undefined) return { mistake };
    if (isOptional) parts.push({ type: 'optional', parts: value });
    else parts.push(...value);
  }
  return { value: parts };
}

function partsOf(template: string, known: readonly string[]): Compiled<readonly Part[]> {
  const parts: Part[] = [];
  for (const [at, text] of template.split(/\{([^{}]*)\}/).entries()) {
    if (at % 2 === 0) {
      if (text !== '') parts.push({ type: 'text', text });
      continue;
    }
    const [, type, name = '', lower] = /^(header|query):(.+?)(\|lower)?$/s.exec(text) ?? [];
    if (known.includes(text)) parts.push({ type: text as Simple });
    else if (type === 'header' && known.includes('header:name'))
      parts.push({ type: 'header', name: name.toLowerCase() });
    else if (type === 'query' && known.includes('query:name'))
      parts.push({ type: 'query', name, isLower: lower !== undefined });
    else {
      const near = suggest(text, known);
      const placeholders = known.map((one) => `{${one}}`).join(', ');
      const remedy = near === undefined ? `known are ${placeholders}` : `did you mean {${near}}?`;
      return { mistake: `has the unknown placeholder {${text}}: ${remedy}` };
    }
  }
  return { value: parts };
}

/** What a header holds: each of these may occur several times. */
export interface HeaderValues {
  readonly signatures: readonly string[];
  readonly timestamps: readonly string[];
  readonly ids: readonly string[];
}

/** Reads a header by its template. */
export interface HeaderTemplate {
  read(header: string): HeaderValues;
  readonly hasTimestamp: boolean;
  readonly hasId: boolean;
}

/** Signatures that are checked, as for scheme `standard`. */
const MAX_SIGNATURES = 10;

/**
 * Compiles what a header holds. Items such as `t={timestamp},v1={signature}` may come in any order, more than
 * once, and among others. White space is ignored around an item and before a value.
 */
export function compileHeader(template: string): Compiled<HeaderTemplate> {
  const { value: all, mistake } = partsOf(template, READ);
  if (all === undefined) return { mistake };
  const count = (type: string): number => all.filter((part) => part.type === type).length;
  if (count('signature') === 0)
    return { mistake: 'has no {signature}: put it where the header has the signature' };
  for (const type of ['timestamp', 'id'])
    if (count(type) > 1) return { mistake: `has {${type}} more than once; keep one of them` };
  if (all.some((part, at) => part.type !== 'text' && (all[at + 1]?.type ?? 'text') !== 'text'))
    return { mistake: 'has two placeholders without a text between them' };

  const items = itemsOf(template).map((item) => {
    const parts = partsOf(item, READ).value ?? [];
    return {
      pattern: patternOf(parts),
      types: parts.map(({ type }) => type).filter((type) => type !== 'text'),
    };
  });
  return {
    value: {
      hasTimestamp: count('timestamp') > 0,
      hasId: count('id') > 0,
      read(header) {
        const found = { signature: [] as string[], timestamp: [] as string[], id: [] as string[] };
        for (const { pattern, types } of items)
          for (const match of header.matchAll(pattern))
            for (const [at, type] of types.entries()) {
              const values = found[type as keyof typeof found];
              if (values.length < MAX_SIGNATURES) values.push(match[at + 1] ?? '');
            }
        return { signatures: found.signature, timestamps: found.timestamp, ids: found.id };
      },
    },
  };
}

/** Splits a list of `name={placeholder}`. Anything else is one item. */
function itemsOf(template: string): readonly string[] {
  const items = template.split(/[,;]\s*|\s+/);
  return items.every((item) => /^[^{}=]+=[^{}]*\{[^{}]*\}[^{}]*$/.test(item)) ? items : [template];
}

/**
 * A search for an item. Values contain neither white space, nor what separates items, nor the first character after
 * them, so it takes linear time.
 */
function patternOf(parts: readonly Part[]): RegExp {
  const source = parts.map((part, at) => {
    const next = parts[at + 1];
    const after = next?.type === 'text' ? next.text.trimStart().charAt(0) : '';
    if (part.type !== 'text') return `([^\\s,;${after.replace(/[\]\\^-]/, '\\$&')}]+)`;
    const text = (at === 0 ? part.text.trimStart() : part.text).replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&');
    const spaced = text.replaceAll(/\s+/g, '\\s+');
    return spaced.endsWith('\\s+') || at === parts.length - 1 ? spaced : `${spaced}\\s*`;
  });
  // A value alone is the whole header: nothing says which of two it would be.
  const [start, end] = parts.length === 1 ? ['^\\s*', '\\s*$'] : ['(?:^|[\\s,;])', '(?=[\\s,;]|$)'];
  return new RegExp(start + source.join('') + end, 'gi');
}
