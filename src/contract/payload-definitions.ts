import { z } from 'zod';
import type { JsonObject } from '../kernel/json/json.ts';
import { catalogue, eventKinds, type EventKind } from './catalogue.ts';
import { withNullableTypes } from './nullable-type.ts';

/** `draft-7` is what AsyncAPI's own schema language builds on. */
export type JsonSchemaDialect = 'draft-2020-12' | 'draft-7';

/** Under which name the payload of a kind is defined, such as `Company`; several kinds may share it. */
export function payloadName(kind: EventKind): string {
  const title = catalogue[kind].schema.meta()?.title ?? kind;
  return title.replace(
    /[^A-Za-z]+(.)?/g,
    (_gap, initial: string | undefined) => initial?.toUpperCase() ?? '',
  );
}

/** The JSON Schema of a kind's `data`, without `$schema`. */
export function payloadSchema(kind: EventKind, dialect: JsonSchemaDialect): JsonObject {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(catalogue[kind].schema, { target: dialect });
  return withNullableTypes(schema as JsonObject);
}

/** Every payload once, by its name. */
export function payloadDefinitions(dialect: JsonSchemaDialect): JsonObject {
  return Object.fromEntries(eventKinds.map((kind) => [payloadName(kind), payloadSchema(kind, dialect)]));
}

/** The JSON Schema of a kind's envelope `{type, data}` around a schema for `data`. */
export function envelopeSchema(kind: EventKind, data: JsonObject): JsonObject {
  const { title, description } = catalogue[kind];
  return {
    title,
    description,
    type: 'object',
    properties: { type: { const: kind }, data },
    required: ['type', 'data'],
  };
}
