import type { JsonObject } from '../kernel/json/json.ts';
import { eventKinds, type EventKind } from './catalogue.ts';
import { envelopeSchema, payloadDefinitions, payloadName, payloadSchema } from './payload-definitions.ts';

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

/**
 * The JSON Schema (draft 2020-12) of one kind's webhook body.
 *
 * Two keywords are ours: `x-personal-data` and `x-check-digits`. JSON Schema
 * cannot say whether a timestamp's day exists, so it takes a little more than
 * the contract does.
 */
export function kindJsonSchema(kind: EventKind): JsonObject {
  return { $schema: DIALECT, ...envelopeSchema(kind, payloadSchema(kind, 'draft-2020-12')) };
}

/** One JSON Schema (draft 2020-12) for the webhook bodies of all kinds: `oneOf`, told apart by `type`. */
export function contractJsonSchema(): JsonObject {
  return {
    $schema: DIALECT,
    title: 'Webhook events of the Fleet and Driver Compliance Service',
    oneOf: eventKinds.map((kind) => envelopeSchema(kind, { $ref: `#/$defs/${payloadName(kind)}` })),
    $defs: payloadDefinitions('draft-2020-12'),
  };
}
