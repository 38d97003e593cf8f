import type { JsonObject } from '../kernel/json/json.ts';
import { catalogue, eventKinds, type EventKind } from './catalogue.ts';
import { envelopeSchema, payloadDefinitions, payloadName } from './payload-definitions.ts';

export interface AsyncApiOptions {
  /** Version of the document: that of the package. */
  readonly version: string;
  /** Envelopes to show, by kind. */
  readonly examples?: { readonly [Kind in EventKind]?: readonly JsonObject[] };
}

/**
 * The contract as an AsyncAPI 3.0 document, seen from the receiver: one channel
 * (`POST /webhooks`), one operation that receives, a message per kind whose
 * payload is the whole body `{type, data}`.
 */
export function asyncApiDocument(options: AsyncApiOptions): JsonObject {
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Webhook events of the Fleet and Driver Compliance Service',
      version: options.version,
      description: 'What the service sends when records change, as Portaria receives it.',
    },
    defaultContentType: 'application/json',
    channels: {
      webhooks: {
        address: '/webhooks',
        description: 'Where the service posts. A named source has its own: /webhooks/<source>.',
        messages: byKind((kind) => ({ $ref: `#/components/messages/${kind}` })),
      },
    },
    operations: {
      receiveEvent: {
        action: 'receive',
        channel: { $ref: '#/channels/webhooks' },
        summary: 'Takes in one event.',
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
