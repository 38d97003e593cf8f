/** Extends the contract by custom kinds and sources. */
import { z } from 'zod';
import { createContract, type Contract, type SourceContract } from '../../contract/contract.ts';
import { definedVerification } from '../../contract/source-verification.ts';
import { innerSchema, type Fields } from '../../contract/fields.ts';
import { issuePath } from '../../contract/find-issues.ts';
import type { KindContract } from '../../contract/kind-contract.ts';
import { specification } from '../../contract/specification.ts';
import { suggest } from '../../kernel/text/suggest.ts';
import { PortariaError, problemList, type Problem } from '../../kernel/errors.ts';
import type { KindDefinition } from './kind-definition.ts';
import { customEnvelope } from './custom-envelope.ts';
import { customKind } from './custom-kind.ts';
import type { SourceDefinition } from './source-definition.ts';

/** A definition and the file that exports it. */
export interface Located<Definition> {
  readonly definition: Definition;
  readonly file: string;
}

export interface Extensions {
  readonly kinds: readonly Located<KindDefinition>[];
  readonly sources: readonly Located<SourceDefinition>[];
}

/**
 * Adds custom kinds and sources to the contract of the specification.
 *
 * A kind that a sender lists belongs to that sender alone, also when its file exports it by itself.
 *
 * @throws PortariaError `handler-invalid`; it lists every mistake with its file.
 */
export function extendContract(extensions: Extensions): Contract {
  const { contract, problems } = extendedContract(extensions);
  if (problems.length > 0) throw invalidKinds(problems);
  return contract;
}

/** Does what {@link extendContract} does, and returns the mistakes; the contract lacks the kinds that cannot be used. */
export function extendedContract({ kinds, sources }: Extensions): {
  readonly contract: Contract;
  readonly problems: readonly Problem[];
} {
  if (kinds.length === 0 && sources.length === 0) return { contract: specification, problems: [] };
  const problems: Problem[] = [];
  const listed = new Set<object>(sources.flatMap(({ definition }) => definition.kinds));
  const shared = kinds.filter(({ definition }) => !listed.has(definition));
  const own = sharedKinds(shared, problems);
  const customSources = sourcesOf(sources, problems);
  for (const kind of [...own, ...customSources.flatMap((source) => source.kinds)])
    problems.push(...(guarded(kind.kind, kind.origin, problems, () => problemsOf(kind)) ?? []));
  return { contract: createContract([...specification.kinds, ...own], customSources), problems };
}

/** Runs what reads a user's schema, which may throw anything: the error names the file. */
function guarded<T>(kind: string, where: string, problems: Problem[], run: () => T): T | undefined {
  try {
    return run();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    problems.push({ where, message: `kind "${kind}" cannot be used: ${reason}` });
    return undefined;
  }
}

function sharedKinds(
  kinds: readonly Located<KindDefinition>[],
  problems: Problem[],
): readonly KindContract[] {
  const files = new Map<string, string>();
  return kinds.flatMap(({ definition, file }) => {
    const { kind } = definition;
    const other = files.get(kind);
    if (other !== undefined)
      problems.push({ where: file, message: `kind "${kind}" is also defined in ${other}: keep one` });
    files.set(kind, file);
    const origin = { origin: file, source: null, base: specification.find('default', kind) };
    return guarded(kind, file, problems, () => customKind(definition, origin)) ?? [];
  });
}

function sourcesOf(
  sources: readonly Located<SourceDefinition>[],
  problems: Problem[],
): readonly SourceContract[] {
  const files = new Map<string, string>();
  return sources.map(({ definition, file }) => {
    const { name, kinds, options } = definition;
    const { envelope, headers = [], verify, secretsFrom, ...fields } = options;
    const other = files.get(name);
    if (other !== undefined)
      problems.push({ where: file, message: `source "${name}" is also defined in ${other}: keep one` });
    files.set(name, file);
    const names = kinds.map(({ kind }) => kind);
    for (const kind of new Set(names.filter((kind, at) => names.indexOf(kind) !== at)))
      problems.push({ where: file, message: `source "${name}" lists kind "${kind}" twice: keep one` });
    const origin = { origin: file, source: name, base: undefined };
    const made = kinds.flatMap(
      (kind) => guarded(kind.kind, file, problems, () => customKind(kind, origin)) ?? [],
    );
    for (const kind of made)
      if (
        kind.schema === null &&
        kind.definitions.some((one) => (one as KindDefinition).schema === undefined)
      )
        problems.push({
          where: file,
          message: `kind "${kind.kind}" of source "${name}" has no schema: a custom source inherits none, so give it one`,
        });
    return {
      name,
      origin: file,
      envelope: customEnvelope(envelope, headers),
      verify: definedVerification(verify, secretsFrom),
      fields,
      kinds: made,
    };
  });
}

/** What shows only once the kind is made: personal paths that no field has, and an example that does not fit. */
function problemsOf(kind: KindContract): readonly Problem[] {
  const { definitions, origin: where, example } = kind;
  const { options, schema } = definitions.at(-1) as KindDefinition;
  if (kind.schema === null && schema === undefined) return [];
  const problems: Problem[] = [];
  const unfit = kind.section === null ? undefined : unfitPatch(schema);
  if (unfit !== undefined)
    problems.push({ where, message: `kind "${kind.kind}" is of the specification, ${unfit}` });
  for (const path of pathsOf(kind.fields))
    if (path.split('.').some((step) => step in Object.prototype))
      problems.push({
        where,
        message: `kind "${kind.kind}" declares "${path}", which every JavaScript object has, so zod rejects payloads without it: leave it out (undeclared fields are kept)`,
      });
  if (kind.schema !== null)
    for (const path of options.personal ?? []) {
      if (hasField(kind.fields, path.split('.'))) continue;
      const near = suggest(path, [...pathsOf(kind.fields)]);
      const remedy = near === undefined ? 'name a field of the schema' : `did you mean "${near}"?`;
      problems.push({
        where,
        message: `kind "${kind.kind}": personal has "${path}", which the schema lacks: ${remedy}`,
      });
    }
  if (example === null) return problems;
  const [issue] = kind.issues(example, 1);
  if (issue !== undefined)
    problems.push({
      where,
      message: `kind "${kind.kind}": example does not match: ${issuePath(issue.path, 'example')} ${issue.message}`,
    });
  return problems;
}

/** Why a schema cannot change a kind of the specification; undefined when it can, or nothing is known of it. */
function unfitPatch(schema: KindDefinition['schema']): string | undefined {
  if (!(schema instanceof z.ZodType)) return undefined;
  const { type, catchall } = innerSchema(schema)._zod.def as z.core.$ZodObjectDef;
  if (['array', 'tuple', 'string', 'number', 'boolean', 'null', 'literal', 'enum'].includes(type))
    return `whose payloads are objects: give a schema of an object, not z.${type}`;
  return catchall === undefined || catchall instanceof z.ZodUnknown
    ? undefined
    : 'which keeps unknown fields: leave out .strict() and .catchall()';
}

function hasField(fields: Fields, [step, ...rest]: readonly string[]): boolean {
  const field = step === undefined ? undefined : fields.get(step);
  return field !== undefined && (rest.length === 0 || hasField(field.fields, rest));
}

/** Two levels suffice for a suggestion; a schema may contain itself. */
function* pathsOf(fields: Fields): Iterable<string> {
  for (const field of fields.values()) {
    yield field.name;
    for (const name of field.fields.keys()) yield `${field.name}.${name}`;
  }
}

/** The error for mistakes in kinds and sources. */
export function invalidKinds(problems: readonly Problem[]): PortariaError {
  const list = problemList(problems, '\n');
  return new PortariaError('handler-invalid', `kinds and sources cannot be used:\n${list}`, { problems });
}
