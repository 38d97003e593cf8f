import type { JsonObject } from '../kernel/json/json.ts';
import { catalogue, eventKinds, type EventKind } from './catalogue.ts';
import { envelopeSchema, payloadDefinitions, payloadName } from './json-schema.ts';

export interface AsyncApiOptions {
  /** The version of the document; the package's version. */
  readonly version: string;
  /** Example envelopes, by kind. */
  readonly examples?: { readonly [Kind in EventKind]?: readonly JsonObject[] };
}

/**
 * Returns the contract as an AsyncAPI 3.0 document of the receiver: one channel (`POST /webhooks`), one receive
 * operation, and a message for each kind. Its payload is the whole body `{type, data}`.
 */
export function asyncApiDocument(options: AsyncApiOptions): JsonObject {
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Webhook events of the Fleet and Driver Compliance Service',
      version: options.version,
      description: 'The webhooks that the service sends when records change, as Portaria receives them.',
    },
    defaultContentType: 'application/json',
    channels: {
      webhooks: {
        address: '/webhooks',
        description: 'The service posts to this path. A named source has its own: /webhooks/<source>.',
        messages: byKind((kind) => ({ $ref: `#/components/messages/${kind}` })),
      },
    },
    operations: {
      receiveEvent: {
        action: 'receive',
        channel: { $ref: '#/channels/webhooks' },
        summary: 'Receives one event.',
        bindings: { http: { method: 'POST', bindingVersion: '0.3.0' } },
        messages: eventKinds.map((kind) => ({ $ref: `#/channels/webhooks/messages/${kind}` })),
      },
    },
    components: {
      messages: byKind((kind) => message(kind, options.examples?.[kind] ?? [])),
      schemas: payloadDefinitions('draft-7'),
    },
  };
}

function message(kind: EventKind, examples: readonly JsonObject[]): JsonObject {
  const { title, description, family, section } = catalogue[kind];
  return {
    name: kind,
    title,
    description: `${description} Specification: ${section}.`,
    contentType: 'application/json',
    tags: [{ name: family }],
    payload: envelopeSchema(kind, { $ref: `#/components/schemas/${payloadName(kind)}` }),
    ...(examples.length > 0 && { examples: examples.map((payload) => ({ payload })) }),
  };
}

function byKind(describe: (kind: EventKind) => JsonObject): JsonObject {
  return Object.fromEntries(eventKinds.map((kind) => [kind, describe(kind)]));
}
