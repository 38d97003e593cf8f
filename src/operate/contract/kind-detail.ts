/** Describes a kind of the contract: its fields, and what orders its events. */
import { eventKinds } from '../../contract/catalogue.ts';
import type { Contract } from '../../contract/contract.ts';
import type { Field, Fields } from '../../contract/fields.ts';
import { payloadSchema } from '../../contract/json-schema.ts';
import type { KindContract } from '../../contract/kind-contract.ts';
import { orderingFieldsOf } from '../../contract/version-rules.ts';
import type { KindDefinition } from '../../handle/kinds/kind-definition.ts';
import { isJsonObject, ownMember, type JsonObject, type JsonValue } from '../../kernel/json/json.ts';
import { z } from 'zod';

/** A schema may contain itself. */
const MAX_DEPTH = 6;
const MAX_FIELDS = 500;

/** A declared field of a payload. */
export interface FieldDetail {
  /** Within `data`, dotted; `[]` marks the members of a list. */
  readonly path: string;
  /** JSON types and formats, such as `string (date-time)`; empty when the schema does not say. */
  readonly type: string;
  readonly required: boolean;
  readonly nullable: boolean;
  readonly personal: boolean;
  /** The listed values of an enumeration; empty for any other field. */
  readonly values: readonly string[];
  /** Whether the enumeration may grow: another value is accepted, with a flag. */
  readonly open: boolean;
  readonly description: string | null;
}

/** What orders the events of a kind's subjects: instants in fields, a function of its definition, or arrival. */
export type VersionRuleDetail =
  | { readonly by: 'fields'; readonly fields: readonly string[] }
  | { readonly by: 'function' }
  | { readonly by: 'arrival' };

/** Returns the declared fields of a kind, parents before their members. Empty without a zod schema. */
export function fieldDetails(kind: KindContract): readonly FieldDetail[] {
  const found: FieldDetail[] = [];
  const collect = (fields: Fields, schema: JsonObject, prefix: string, depth: number): void => {
    for (const field of fields.values()) {
      if (found.length >= MAX_FIELDS) return;
      const node = memberOf(schema['properties'], field.name) ?? {};
      const isList = field.schema instanceof z.ZodArray;
      const path = `${prefix}${field.name}${isList ? '[]' : ''}`;
      found.push(detailOf(field, node, path));
      const inner = isList ? memberOf(node, 'items') : node;
      if (field.fields.size > 0 && depth < MAX_DEPTH)
        collect(field.fields, inner ?? {}, `${path}.`, depth + 1);
    }
  };
  collect(kind.fields, payloadSchema(kind, 'draft-2020-12'), '', 0);
  return found;
}

/** Finds the kinds of a name: the one of the provider’s envelope, and those of custom sources. */
export function kindsNamed(contract: Contract, name: string): readonly KindContract[] {
  return contract.kinds.filter(({ kind }) => kind === name);
}

/** Returns what orders the events of a kind. */
export function versionRuleOf(kind: KindContract): VersionRuleDetail {
  const own = (kind.definitions as readonly KindDefinition[]).some(
    ({ options }) => options.version !== undefined,
  );
  if (own) return { by: 'function' };
  // A defined kind has no rule of its family: only a kind of the specification does.
  const isSpecified = kind.source === null && eventKinds.some((name) => name === kind.kind);
  const fields = isSpecified ? orderingFieldsOf(kind.family) : [];
  return fields.length === 0 ? { by: 'arrival' } : { by: 'fields', fields };
}

function detailOf(field: Field, node: JsonObject, path: string): FieldDetail {
  const item = field.schema instanceof z.ZodArray ? (memberOf(node, 'items') ?? {}) : node;
  const known = item['x-known-values'];
  const values = (Array.isArray(known) ? known : item['enum']) ?? [];
  const description = node['description'] ?? item['description'];
  return {
    path,
    type: typeOf(node),
    required: field.required,
    nullable: field.nullable,
    personal: field.personal,
    values: Array.isArray(values) ? values.filter((value) => value !== null).map(String) : [],
    open: Array.isArray(known),
    description: typeof description === 'string' ? description : null,
  };
}

function typeOf(node: JsonObject): string {
  const own = typesOf(node);
  const items = memberOf(node, 'items');
  if (own === 'array' && items !== undefined) return `list of ${typeOf(items) || 'anything'}`;
  const format = node['format'];
  return typeof format === 'string' ? `${own} (${format})` : own;
}

function typesOf({ type, anyOf }: JsonObject): string {
  if (typeof type === 'string') return type;
  if (Array.isArray(type)) return type.filter((each) => each !== 'null').join(' or ');
  if (!Array.isArray(anyOf)) return '';
  const types = anyOf
    .map((each) => typesOf(each as JsonObject))
    .filter((each) => each !== 'null' && each !== '');
  return [...new Set(types)].join(' or ');
}

function memberOf(value: JsonValue | undefined, name: string): JsonObject | undefined {
  const member = ownMember(value, name);
  return isJsonObject(member) ? member : undefined;
}
