/** Sends samples of events into the own store, so that an operator can try a handler. */
import { randomUUID } from 'node:crypto';
import { isEventKind } from '../../contract/catalogue.ts';
import type { Contract } from '../../contract/contract.ts';
import type { KindContract } from '../../contract/kind-contract.ts';
import type { RawDelivery } from '../../event/delivery.ts';
import type { Receipt } from '../../event/receipt.ts';
import { PortariaError } from '../../kernel/errors.ts';
import type { JsonObject } from '../../kernel/json/json.ts';
import type { Clock } from '../../kernel/time/clock.ts';
import { sampleOrNull } from './fixtures.ts';

/** No record of the provider has this id, so that a sample does not mix with real events. */
const SAMPLE_ID = 0;

/** A message that the console offers for sending. */
export interface OfferedSample {
  readonly body: JsonObject;
  /** The command that sends the same. */
  readonly command: string;
}

/** Returns the sample of a kind, with an id that no record has; null when none can be made. */
export function sampleToSend(contract: Contract, kind: KindContract): OfferedSample | null {
  const sample = sampleOrNull(contract, kind);
  if (sample === null) return null;
  const command = `portaria send ${kind.kind}${kind.source === null ? '' : ` --source ${kind.source}`}`;
  const numbered = { ...(sample.body['data'] as JsonObject), id: SAMPLE_ID };
  if (kind.source !== null || !isEventKind(kind.kind) || !kind.isValid(numbered))
    return { body: sample.body, command };
  return {
    body: { ...sample.body, data: numbered },
    command: `${command} --set data.id=${String(SAMPLE_ID)}`,
  };
}

/** Sends webhooks to this process, as their senders would. */
export interface SampleSender {
  /** The configured sources that send the provider's envelope. */
  readonly sources: readonly string[];
  /** @throws PortariaError `unknown-source`, `not-verified`, `store-*` */
  send(sample: {
    readonly kind: KindContract;
    /** The source to send as. */
    readonly source: string;
    /** The body, as it was typed. */
    readonly body: string;
  }): Promise<Receipt>;
}

export interface SampleSenderDeps {
  readonly contract: Contract;
  /** The names of all configured sources. */
  readonly sources: Iterable<string>;
  readonly clock: Clock;
  /** Portaria's own version. */
  readonly version: string;
  /** Verifies, parses and stores the delivery, and flags its event as a sample. */
  readonly receive: (delivery: RawDelivery) => Promise<Receipt>;
  /** Returns the headers by which a source proves who it is; undefined for an unknown source. */
  readonly sign: (
    source: string,
    body: Uint8Array,
    message: { readonly id: string; readonly now: number },
  ) => Readonly<Record<string, string>> | undefined;
}

/**
 * Creates what sends samples. They take the whole path of a webhook: they are signed and verified, and a body that
 * is not valid goes to quarantine.
 */
export function createSampleSender(deps: SampleSenderDeps): SampleSender {
  const { contract, sources, clock, version, receive, sign } = deps;
  const custom = new Set(contract.sources.map(({ name }) => name));
  return {
    sources: [...sources].filter((source) => !custom.has(source)),
    async send({ kind, source, body }) {
      const bytes = Buffer.from(body);
      const now = clock.now();
      const signed = sign(source, bytes, { id: `msg_${randomUUID()}`, now });
      if (signed === undefined)
        throw new PortariaError('unknown-source', `No source is named ${JSON.stringify(source)}`);
      return receive({
        stage: 'raw',
        source,
        receivedAt: now,
        headers: {
          // A custom source may name the kind in a header.
          ...sampleOrNull(contract, kind)?.headers,
          'content-type': 'application/json',
          'user-agent': `portaria-sample/${version}`,
          ...signed,
        },
        body: bytes,
      });
    },
  };
}
