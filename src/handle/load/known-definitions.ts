/** Compares the custom kinds and the handlers that a store has seen with those of this process. */
import { createHash } from 'node:crypto';
import type { Contract, SourceContract } from '../../contract/contract.ts';
import { payloadSchema } from '../../contract/json-schema.ts';
import type { KindContract } from '../../contract/kind-contract.ts';
import type { Definition } from '../define/definition.ts';
import { canonicalBytes } from '../../kernel/json/canonical-json.ts';
import type { JsonValue } from '../../kernel/json/json.ts';
import type { KnownDefinition } from '../../store/processes.ts';

/** A handler or machine, as far as its deliveries depend on it. */
export type KnownHandler = Pick<Definition, 'name' | 'on'>;

/** Returns what a contract adds to the specification, and the handlers, for the store's record of them. */
export function knownDefinitionsOf(
  { kinds, sources }: Contract,
  handlers: readonly KnownHandler[] = [],
): readonly KnownDefinition[] {
  const custom = kinds.filter(({ definitions }) => definitions.length > 0);
  return [...custom.map(knownKind), ...sources.map(knownSource), ...handlers.map(knownHandler)];
}

/** A definition that a process knows and a contract lacks, or has with another content. */
export interface MissingDefinition extends KnownDefinition {
  /** Whether the contract has one of this name. */
  readonly differs: boolean;
}

/**
 * Compares the record of a store with a contract. A contract that knows more lacks nothing.
 *
 * @param handlers are compared, too, where they are given
 */
export function missingDefinitions(
  known: readonly KnownDefinition[],
  contract: Contract,
  handlers?: readonly KnownHandler[],
): readonly MissingDefinition[] {
  const compared = known.filter(({ type }) => type !== 'handler' || handlers !== undefined);
  if (compared.length === 0) return [];
  const own = new Map(knownDefinitionsOf(contract, handlers).map((one) => [keyOf(one), one.hash]));
  return compared.flatMap((one) => {
    const hash = own.get(keyOf(one));
    return hash === one.hash ? [] : [{ ...one, differs: hash !== undefined }];
  });
}

function keyOf({ type, source, name }: KnownDefinition): string {
  return JSON.stringify([type, source, name]);
}

function knownKind(kind: KindContract): KnownDefinition {
  const { kind: name, source, origin, family, personalPaths } = kind;
  return { type: 'kind', name, source, origin, hash: hashOf([family, [...personalPaths], schemaOf(kind)]) };
}

/** A schema that has no form in JSON Schema is not compared. */
function schemaOf(kind: KindContract): JsonValue {
  try {
    return payloadSchema(kind, 'draft-2020-12');
  } catch {
    return null;
  }
}

function knownSource({ name, origin, envelope, fields }: SourceContract): KnownDefinition {
  const { names, headers, typePath, dataPath } = envelope;
  const content = [names.type, names.data, [...headers], listOf(typePath), listOf(dataPath)];
  const { messageId, compare } = fields ?? {};
  // The record of an earlier version has neither.
  if (typeof messageId === 'string') content.push(['id', messageId]);
  if (compare !== undefined) content.push(['ignore', ...compare.ignore]);
  return { type: 'source', name, source: null, origin, hash: hashOf(content) };
}

function knownHandler({ name, on }: KnownHandler): KnownDefinition {
  return { type: 'handler', name, source: null, origin: '', hash: hashOf([...on].toSorted()) };
}

function listOf(path: readonly string[] | null): JsonValue {
  return path === null ? null : [...path];
}

function hashOf(content: JsonValue): string {
  return createHash('sha256').update(canonicalBytes(content)).digest('hex').slice(0, 32);
}
