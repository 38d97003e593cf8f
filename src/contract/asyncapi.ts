/** The contract as an AsyncAPI document. */
import type { JsonObject } from '../kernel/json/json.ts';
import type { Contract } from './contract.ts';
import { envelopeOf, envelopeSchema, payloadDefinitions, payloadName } from './json-schema.ts';
import type { KindContract } from './kind-contract.ts';

export interface AsyncApiOptions {
  /** The version of the document; the package's version. */
  readonly version: string;
  /** Returns example bodies of a kind. */
  readonly examples?: (kind: KindContract) => readonly JsonObject[];
}

/**
 * Returns the contract as an AsyncAPI 3.0 document of the receiver: a channel for the provider (`POST /webhooks`)
 * and for each custom source, a receive operation for each, and a message for each kind. Its payload is the whole
 * body.
 */
export function asyncApiDocument(contract: Contract, options: AsyncApiOptions): JsonObject {
  const shared = contract.kinds.filter(({ source }) => source === null);
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
        messages: references(shared),
      },
      ...Object.fromEntries(
        contract.sources.map(({ name, kinds }) => [
          name,
          {
            address: `/webhooks/${name}`,
            description: `The sender ${name} posts to this path.`,
            messages: references(kinds),
          },
        ]),
      ),
    },
    operations: {
      receiveEvent: operation('webhooks', shared, 'Receives one event.'),
      ...Object.fromEntries(
        contract.sources.map(({ name, kinds }) => [
          `receiveEvent.${name}`,
          operation(name, kinds, `Receives one event of ${name}.`),
        ]),
      ),
    },
    components: {
      messages: Object.fromEntries(
        contract.kinds.map((kind) => [
          messageName(kind),
          message(contract, kind, options.examples?.(kind) ?? []),
        ]),
      ),
      schemas: payloadDefinitions(contract, 'draft-7'),
    },
  };
}

/** Names of components have no other characters. */
function messageName({ kind, source }: KindContract): string {
  return (source === null ? kind : `${source}.${kind}`).replaceAll(/[^A-Za-z0-9._-]/g, '_');
}

function references(kinds: readonly KindContract[]): JsonObject {
  return Object.fromEntries(
    kinds.map((kind) => [messageName(kind), { $ref: `#/components/messages/${messageName(kind)}` }]),
  );
}

function operation(channel: string, kinds: readonly KindContract[], summary: string): JsonObject {
  return {
    action: 'receive',
    channel: { $ref: `#/channels/${channel}` },
    summary,
    bindings: { http: { method: 'POST', bindingVersion: '0.3.0' } },
    messages: kinds.map((kind) => ({ $ref: `#/channels/${channel}/messages/${messageName(kind)}` })),
  };
}

function message(contract: Contract, kind: KindContract, examples: readonly JsonObject[]): JsonObject {
  const { title, description, family, section } = kind;
  return {
    name: kind.kind,
    title,
    description: section === null ? description : `${description} Specification: ${section}.`,
    contentType: 'application/json',
    tags: [{ name: family }],
    payload: envelopeSchema(
      kind,
      { $ref: `#/components/schemas/${payloadName(kind)}` },
      envelopeOf(contract, kind),
    ),
    ...(examples.length > 0 && { examples: examples.map((payload) => ({ payload })) }),
  };
}
