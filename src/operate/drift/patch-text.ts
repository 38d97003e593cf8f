import { z } from 'zod';
import type { Contract } from '../../contract/contract.ts';
import { knownValuesOf } from '../../contract/field/known-values.ts';
import { innerSchema } from '../../contract/fields.ts';
import type { Drift } from './collect-drift.ts';
import { expectedType } from './observe-payload.ts';

/**
 * Writes a handlers file with `defineKind` calls after which the contract accepts what has come. New fields are
 * personal until an operator decides otherwise. For a custom kind, a comment names the file to change.
 */
export function patchText(drifts: readonly Drift[], contract: Contract): string {
  const changes = drifts.filter(({ difference }) => difference !== 'never');
  const kinds = Map.groupBy(changes, ({ kind }) => kind);
  const blocks: string[] = [];
  const used = new Set(['defineKind', 'openEnum', 'z']);
  for (const [kind, found] of kinds) {
    const [own, shared] = partition(found, ({ source }) => isCustom(contract, source, kind));
    blocks.push(...customComments(own, contract));
    if (shared.length > 0) blocks.push(kindText(kind, variableOf(kind, used), shared));
  }
  const names = blocks.some((block) => block.includes('openEnum('))
    ? 'defineKind, openEnum, z'
    : 'defineKind, z';
  const head = `// Accepts what the webhooks contain beyond the contract. New fields are personal: they are masked\n// until you remove them from \`personal\`.\nimport { ${names} } from 'portaria';\n`;
  if (!blocks.some((block) => block.startsWith('export'))) return [...blocks, 'export {};\n'].join('\n');
  return [head, ...blocks].join('\n');
}

/** Whether the kind is custom, changed by a file, or of a custom source: then only that file can change it. */
function isCustom(contract: Contract, source: string, kind: string): boolean {
  const found = contract.find(source, kind);
  if (found !== undefined) return found.origin !== 'specification';
  return contract.sources.some(({ name }) => name === source);
}

function customComments(drifts: readonly Drift[], contract: Contract): readonly string[] {
  return drifts.map(({ source, kind, path, difference, type }) => {
    const place = path === '' ? kind : `${kind}: ${path}`;
    const file =
      contract.find(source, kind)?.origin ?? contract.sources.find(({ name }) => name === source)?.origin;
    return `// Change ${commented(file ?? source)}: ${commented(place)} is ${difference}${type === null ? '' : ` (${type})`}.\n`;
  });
}

/** A line break would end the comment, and what a sender wrote after it would be code. */
function commented(text: string): string {
  return JSON.stringify(text)
    .slice(1, -1)
    .replaceAll('\\"', '"')
    .replaceAll(/[\u2028\u2029]/g, (end) => (end === '\u2028' ? '\\u2028' : '\\u2029'));
}

/** The changes of the fields of one object. */
interface Change {
  /** Changes of the fields below. */
  readonly below: Map<string, Change>;
  drifts: Drift[];
}

function kindText(kind: string, variable: string, drifts: readonly Drift[]): string {
  const root: Change = { below: new Map(), drifts: [] };
  const comments: string[] = [];
  for (const drift of drifts) {
    if (drift.path === '') continue;
    // A cut name is unknown, and one with a dot or brackets cannot be named in `personal`.
    if (/[[\]…]/.test(drift.path)) {
      comments.push(`  // ${commented(drift.path)}: ${drift.difference}\n`);
      continue;
    }
    let change = root;
    for (const step of drift.path.split('.')) {
      const next: Change = change.below.get(step) ?? { below: new Map(), drifts: [] };
      change.below.set(step, next);
      change = next;
    }
    change.drifts.push(drift);
  }
  const personal = [
    ...new Set(
      drifts
        .filter(
          (drift) => drift.difference === 'undeclared' && drift.path !== '' && !/[[\]…]/.test(drift.path),
        )
        .map(({ path }) => path),
    ),
  ];
  const personalText = personal.length === 0 ? '' : `  personal: [${personal.map(quote).join(', ')}],\n`;
  return `export const ${variable} = defineKind(${quote(kind)}, {\n${comments.join('')}  schema: ${objectText(root, '  ')},\n${personalText}});\n`;
}

/** Names the variable of a kind, and notes it as used: `company.archived` becomes `companyArchived`. */
function variableOf(kind: string, used: Set<string>): string {
  const [first = '', ...words] = kind.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  const camel = [first.charAt(0).toLowerCase() + first.slice(1), ...words.map(capitalized)].join('');
  // A single word can be one of the language, such as `delete`.
  const base = /^[a-z].*[A-Z0-9]/.test(camel) ? camel : `kind${capitalized(camel)}`;
  let variable = base;
  for (let count = 2; used.has(variable); count += 1) variable = `${base}_${String(count)}`;
  used.add(variable);
  return variable;
}

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function objectText({ below }: Change, indent: string): string {
  const fields = [...below].map(
    ([name, change]) => `${indent}  ${quote(name)}: ${fieldText(change, `${indent}  `)},\n`,
  );
  return `z.object({\n${fields.join('')}${indent}})`;
}

function fieldText(change: Change, indent: string): string {
  if (change.below.size > 0) return `${objectText(change, indent)}.nullish()`;
  const types = new Set(change.drifts.map(({ type }) => type));
  const declared = change.drifts.find(({ schema }) => schema !== undefined)?.schema;
  const inner = declared === undefined ? undefined : innerSchema(declared);
  const expected = inner === undefined ? undefined : expectedType(inner);
  const known = inner === undefined ? undefined : knownValuesOf(inner);
  const unlisted = change.drifts.flatMap(({ value }) => (value === null ? [] : [value]));
  const all = new Set([
    ...(expected === undefined ? [] : [expected]),
    ...[...types].filter((type) => type !== null),
  ]);
  const texts = [...all].flatMap((type) => {
    if (type === 'string' && known !== undefined)
      return [`openEnum([${[...known, ...unlisted].map(quote).join(', ')}])`];
    return typeTexts[type] ?? [];
  });
  const optional =
    declared === undefined || types.has('null') || types.has('absent') || accepts(declared, null);
  const one =
    texts.length === 0
      ? 'z.unknown()'
      : texts.length === 1
        ? String(texts[0])
        : `z.union([${texts.join(', ')}])`;
  return optional ? `${one}.nullish()` : one;
}

const typeTexts: Readonly<Record<string, readonly string[]>> = {
  string: ['z.string()'],
  number: ['z.number()'],
  boolean: ['z.boolean()'],
  object: ['z.looseObject({})'],
  array: ['z.array(z.unknown())'],
};

function accepts(schema: z.core.$ZodType, value: null): boolean {
  return z.safeParse(schema, value).success;
}

function quote(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll("'", "\\'").replaceAll('\\"', '"')}'`;
}

function partition<T>(
  items: readonly T[],
  isFirst: (item: T) => boolean,
): readonly [readonly T[], readonly T[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}
