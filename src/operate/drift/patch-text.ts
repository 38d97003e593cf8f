/** Writes a handlers file that makes the contract accept what was received. */
import { z } from 'zod';
import type { Contract } from '../../contract/contract.ts';
import { knownValuesOf } from '../../contract/field/known-values.ts';
import { openSet } from '../../contract/field/schemas.ts';
import { innerSchema } from '../../contract/fields.ts';
import type { KindContract } from '../../contract/kind-contract.ts';
import { defineKind, type KindDefinition } from '../../handle/kinds/kind-definition.ts';
import { PortariaError } from '../../kernel/errors.ts';
import { maskText } from '../../kernel/text/scrub.ts';
import type { Drift } from './collect-drift.ts';
import { expectedType, isDeclarable } from './observe-payload.ts';

export interface PatchRequest {
  /** Also accept missing fields and other values that only bodies in quarantine have. */
  readonly loosen: boolean;
}

/** A change of the contract: as a handlers file, and as the definitions that the file exports. */
export interface Patch {
  readonly text: string;
  readonly kinds: readonly KindDefinition[];
}

const head = `// Accepts what the webhooks contain beyond the contract. New fields are personal: they are masked
// until you remove them from \`personal\`.
`;
/** A handlers file must export a definition, also one that was redirected into the folder. */
const nothing = `import { fromConfig } from 'portaria';

// Nothing to define.
export default fromConfig(() => undefined);
`;

/**
 * Writes `defineKind` calls after which the contract accepts what has come. New fields are personal until an
 * operator decides otherwise. What only a file of custom kinds can change, what has no plain name, and what may be
 * a mistake of the sender is a comment.
 */
export function createPatch(drifts: readonly Drift[], contract: Contract, request: PatchRequest): Patch {
  const changes = drifts.filter(({ difference }) => difference !== 'never');
  const comments: string[] = [];
  const blocks: string[] = [];
  const kinds: KindDefinition[] = [];
  const variables = new Set<string>();
  for (const [kind, found] of Map.groupBy(changes, (drift) => drift.kind)) {
    const [own, shared] = partition(found, ({ source }) => isOwn(contract, source, kind));
    comments.push(...own.map((drift) => ownComment(drift, contract)));
    const [first] = shared;
    if (first === undefined) continue;
    const problem = kindProblem(kind);
    if (problem !== undefined) {
      comments.push(`// Kind ${commented(maskText(kind))} is left out: ${problem}.\n`);
      continue;
    }
    const made = kindPatch(kind, shared, contract.find(first.source, kind), request);
    if (made.definition === undefined) comments.push(`// Kind ${commented(kind)}:\n${made.comments}`);
    else {
      kinds.push(made.definition);
      blocks.push(`export const ${variableOf(kind, variables)} = ${made.text};\n`);
    }
  }
  if (kinds.length === 0) return { text: [...comments, nothing].join('\n'), kinds };
  const names = blocks.some((block) => block.includes('openEnum('))
    ? 'defineKind, openEnum, z'
    : 'defineKind, z';
  return {
    text: [`${head}import { ${names} } from 'portaria';\n`, ...comments, ...blocks].join('\n'),
    kinds,
  };
}

/** Whether a handlers file defines the kind, or a custom source sends it. */
function isOwn(contract: Contract, source: string, kind: string): boolean {
  const found = contract.find(source, kind);
  if (found !== undefined) return found.origin !== 'specification';
  return contract.sources.some(({ name }) => name === source);
}

function ownComment({ source, kind, path, difference, type }: Drift, contract: Contract): string {
  const name = maskText(kind);
  const where = path === '' ? name : `${name}: ${path}`;
  const file =
    contract.find(source, kind)?.origin ?? contract.sources.find(({ name }) => name === source)?.origin;
  return `// Change ${commented(file ?? source)}: ${commented(where)} is ${difference}${type === null ? '' : ` (${type})`}.\n`;
}

/** Why a kind that was sent cannot be in the file. */
function kindProblem(kind: string): string | undefined {
  if (maskText(kind) !== kind) return 'its name may hold personal data';
  try {
    defineKind(kind, { schema: z.object({}) });
    return undefined;
  } catch (error) {
    if (PortariaError.is(error, 'handler-invalid')) return 'defineKind does not accept its name';
    throw error;
  }
}

/** The suffix keeps a variable apart from keywords, and a number from other variables. */
function variableOf(kind: string, used: Set<string>): string {
  const words = kind.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  const name = words.map((word, at) => (at === 0 ? word : capitalized(word))).join('');
  const plain = /^[A-Za-z]/.test(name)
    ? `${name.charAt(0).toLowerCase()}${name.slice(1)}Kind`
    : `kind${name}`;
  for (let number = 1; ; number += 1) {
    const variable = number === 1 ? plain : `${plain}_${String(number)}`;
    // The import has this name, too.
    if (used.has(variable) || variable === 'defineKind') continue;
    used.add(variable);
    return variable;
  }
}

function capitalized(word: string): string {
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
}

/** The changes of one field, and of the fields below. */
interface Change {
  readonly below: Map<string, Change>;
  readonly declared: z.core.$ZodType | undefined;
  readonly drifts: Drift[];
  /** Whether every webhook has it: then it is neither null nor absent. */
  isRequired?: boolean;
}

interface KindPatch {
  readonly text: string;
  readonly comments: string;
  readonly definition: KindDefinition | undefined;
}

function kindPatch(
  kind: string,
  drifts: readonly Drift[],
  contract: KindContract | undefined,
  { loosen }: PatchRequest,
): KindPatch {
  const root: Change = { below: new Map(), declared: undefined, drifts: [] };
  const comments: string[] = [];
  const personal = new Set<string>();
  for (const drift of drifts) {
    const { path, difference, type } = drift;
    if (path === '') continue;
    const isLoosening = difference === 'other-type' || difference === 'invalid';
    if (!isDeclarable(path)) comments.push(`  // ${commented(path)}: ${difference}\n`);
    // The value may be personal, so only the operator can list it.
    else if (difference === 'unlisted' && drift.value === null)
      comments.push(`  // ${path}: unlisted, and its value is not shown\n`);
    else if (isLoosening && drift.held === drift.webhooks && !loosen)
      comments.push(
        `  // ${path}: ${difference}${type === null ? '' : ` (${type})`}, only in quarantine; --loosen accepts it\n`,
      );
    else {
      changeAt(root, path.split('.'), contract).drifts.push(drift);
      if (difference === 'undeclared') personal.add(path);
    }
  }
  const id = root.below.get('id');
  if (contract === undefined && id !== undefined && isAlwaysThere(id, drifts)) {
    id.isRequired = true;
    personal.delete('id');
  }
  const notes = comments.join('');
  if (contract !== undefined && root.below.size === 0)
    return { text: '', comments: notes.replaceAll(/^ {2}/gm, ''), definition: undefined };
  const types = new Set(drifts.flatMap(({ path, type }) => (path === '' ? [type] : [])));
  const parts = partsOf(types, () => objectPart(root, '  '));
  const { text, schema } = contract === undefined ? unionPart(parts) : objectPart(root, '  ');
  // Only an object has fields that can be told apart: all of any other payload is masked.
  const list = schema instanceof z.ZodObject ? [...personal] : [];
  const personalText = list.length === 0 ? '' : `  personal: [${list.map(quote).join(', ')}],\n`;
  return {
    text: `defineKind(${quote(kind)}, {\n${notes}  schema: ${text},\n${personalText}})`,
    comments: notes,
    definition: defineKind(kind, { schema, personal: list }),
  };
}

/** Whether all webhooks of an unknown kind have a field, as a number or as text. */
function isAlwaysThere({ drifts: found }: Change, drifts: readonly Drift[]): boolean {
  const countOfAll = (some: readonly Drift[]) => some.reduce((sum, { webhooks }) => sum + webhooks, 0);
  const isPlain = found.every(({ type }) => type === 'number' || type === 'string');
  return isPlain && countOfAll(found) === countOfAll(drifts.filter(({ path }) => path === ''));
}

function changeAt(root: Change, steps: readonly string[], contract: KindContract | undefined): Change {
  let change = root;
  let fields = contract?.fields;
  for (const step of steps) {
    const field = fields?.get(step);
    const next: Change = change.below.get(step) ?? { below: new Map(), declared: field?.schema, drifts: [] };
    change.below.set(step, next);
    change = next;
    fields = field?.fields;
  }
  return change;
}

/** One part for each type that came. */
function partsOf(types: ReadonlySet<string | null>, object: () => Part): readonly Part[] {
  return [...types].flatMap((type) => {
    if (type === 'null') return { text: 'z.null()', schema: z.null() };
    return type === 'object' ? object() : (partsOfTypes.get(type) ?? []);
  });
}

/** A schema, and the code that makes it. */
interface Part<Schema extends z.ZodType = z.ZodType> {
  readonly text: string;
  readonly schema: Schema;
}

function objectPart({ below }: Change, indent: string): Part<z.ZodObject> {
  const parts = [...below].map(([name, change]) => [name, fieldPart(change, `${indent}  `)] as const);
  const fields = parts.map(([name, { text }]) => `${indent}  ${quote(name)}: ${text},\n`);
  return {
    text: `z.object({\n${fields.join('')}${indent}})`,
    schema: z.object(Object.fromEntries(parts.map(([name, { schema }]) => [name, schema]))),
  };
}

function fieldPart(change: Change, indent: string): Part {
  const { declared, drifts, below } = change;
  const inner = declared === undefined ? undefined : innerSchema(declared);
  const expected = inner === undefined ? undefined : expectedType(inner);
  const known = inner === undefined ? undefined : knownValuesOf(inner);
  const unlisted = drifts.flatMap(({ value }) => (value === null ? [] : [value]));
  const types = new Set([...(expected === undefined ? [] : [expected]), ...drifts.map(({ type }) => type)]);
  const parts = [...types].flatMap((type): readonly Part[] => {
    if (type === 'object' && below.size > 0) return [objectPart(change, indent)];
    if (type === 'string' && known !== undefined) return [enumPart([...known, ...unlisted])];
    const part = partsOfTypes.get(type);
    return part === undefined ? [] : [part];
  });
  const one = unionPart(parts);
  if (change.isRequired === true) return one;
  const isNullable = declared === undefined || types.has('null') || accepts(declared, null);
  const isOptional = declared === undefined || types.has('absent') || accepts(declared, undefined);
  if (isNullable && isOptional) return { text: `${one.text}.nullish()`, schema: one.schema.nullish() };
  if (isNullable) return { text: `${one.text}.nullable()`, schema: one.schema.nullable() };
  return isOptional ? { text: `${one.text}.optional()`, schema: one.schema.optional() } : one;
}

function enumPart(values: readonly string[]): Part {
  return { text: `openEnum([${values.map(quote).join(', ')}])`, schema: openSet(values) };
}

function unionPart(parts: readonly Part[]): Part {
  const [first] = parts;
  if (first === undefined) return { text: 'z.unknown()', schema: z.unknown() };
  if (parts.length === 1) return first;
  return {
    text: `z.union([${parts.map(({ text }) => text).join(', ')}])`,
    schema: z.union(parts.map(({ schema }) => schema)),
  };
}

const partsOfTypes: ReadonlyMap<string | null, Part> = new Map([
  ['string', { text: 'z.string()', schema: z.string() }],
  ['number', { text: 'z.number()', schema: z.number() }],
  ['boolean', { text: 'z.boolean()', schema: z.boolean() }],
  ['object', { text: 'z.looseObject({})', schema: z.looseObject({}) }],
  ['array', { text: 'z.array(z.unknown())', schema: z.array(z.unknown()) }],
]);

function accepts(schema: z.core.$ZodType, value: null | undefined): boolean {
  return z.safeParse(schema, value).success;
}

/** Text in ASCII: a line break would end a comment, and what a sender wrote after it would be code. */
function escaped(text: string): string {
  return JSON.stringify(text)
    .slice(1, -1)
    .replaceAll(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function commented(text: string): string {
  return escaped(text).replaceAll('\\"', '"');
}

function quote(text: string): string {
  return `'${escaped(text).replaceAll("'", "\\'").replaceAll('\\"', '"')}'`;
}

function partition<T>(
  items: readonly T[],
  isFirst: (item: T) => boolean,
): readonly [readonly T[], readonly T[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}
