/** Receivers whose answers are asked for. */
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { createPortaria, type Portaria } from '../../../src/compose.ts';
import { loadConfig } from '../../../src/config/load-config.ts';
import { defineKind } from '../../../src/handle/kinds/kind-definition.ts';
import { defineSource, type SourceOptions } from '../../../src/handle/kinds/source-definition.ts';
import type { Logger } from '../../../src/kernel/logger.ts';
import type { Clock } from '../../../src/kernel/time/clock.ts';
import { manualClock } from '../../../src/testing/manual-clock.ts';
import { composedPortaria } from '../../support/composed-portaria.ts';
import { SECRET, signatureHeaders } from '../../support/signing.ts';
import { silentLogger } from '../../support/silent-logger.ts';

/** A receiver whose source `partner` is verified by HMAC. */
export async function receiver(fields: object): Promise<Portaria> {
  const sources = { partner: { verify: 'hmac', secrets: [SECRET], ...fields } };
  return composedPortaria({ PORTARIA_SOURCES: JSON.stringify(sources) });
}

export async function send(
  portaria: Portaria,
  body: string,
  { path = '/webhooks/partner', headers = signatureHeaders('hmac', body) }: SendOptions = {},
) {
  const response = await portaria.app.request(path, { method: 'POST', body, headers });
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
}

interface SendOptions {
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export async function get(portaria: Portaria, path: string, method = 'GET', headers = {}) {
  const response = await portaria.app.request(path, { method, headers });
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
}

const paid = defineKind('paid', { schema: z.object({ id: z.number() }) });

export async function defined(
  fields: Partial<SourceOptions<readonly []>>,
  { clock = manualClock(), log = silentLogger }: { clock?: Clock; log?: Logger } = {},
): Promise<Portaria> {
  const source = defineSource('shop', {
    envelope: { type: 'event', data: 'payload' },
    verify: { scheme: 'none' },
    kinds: [paid],
    ...fields,
  });
  const env = { PORTARIA_DATABASE: ':memory:', PORTARIA_PORT: '0', PORTARIA_OPS_PORT: '0' };
  const portaria = await createPortaria({
    config: loadConfig(env, '/'),
    handlers: [],
    sources: [source],
    clock,
    log,
  });
  onTestFinished(() => portaria.stop());
  return portaria;
}

export const toShop = (portaria: Portaria, body: string) =>
  send(portaria, body, { path: '/webhooks/shop', headers: {} });
export const sold = '{"event":"paid","payload":{"id":1}}';
