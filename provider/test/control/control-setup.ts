import { createControlApp } from '../../control/control-app.ts';
import { createProviderApp } from '../../http/provider-app.ts';
import { calm } from '../../webhooks/chaos/chaos-rates.ts';
import type { Chaos } from '../../webhooks/sending/send-delivery.ts';
import { newWebhooksOf } from '../kit/new-webhooks.ts';
import { openWithScenario } from '../kit/scenario-setup.ts';
import { readResponse, type ProviderResponse } from '../kit/test-provider.ts';

/** The client of a request: the socket's address and the headers. */
interface RequestSource {
  readonly address?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Opens a provider with `/control`. */
export async function openWithControls() {
  const setup = await openWithScenario();
  const { provider, scenario, log } = setup;
  let chaos: Chaos = { rates: calm, seed: 7 };
  const sender = {
    chaos: () => chaos,
    setChaos(next: Chaos) {
      chaos = next;
    },
    wake: () => undefined,
  };
  const control = createControlApp({ provider, scenario, sender }, { log, version: '0.0.0' });
  const app = createProviderApp(provider, { log, version: '0.0.0', control, chaos: sender.chaos });

  async function request(
    method: string,
    path: string,
    body?: unknown,
    source: RequestSource = {},
  ): Promise<ProviderResponse> {
    const { address = '127.0.0.1', headers = {} } = source;
    const init = {
      method,
      headers: {
        host: 'localhost:4010',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    };
    return readResponse(await app.request(path, init, { incoming: { socket: { remoteAddress: address } } }));
  }

  return {
    ...setup,
    app,
    request,
    getControl: (path: string) => request('GET', `/control${path}`),
    postControl: (path: string, body?: unknown) => request('POST', `/control${path}`, body),
    newWebhooks: newWebhooksOf(setup.ours),
  };
}
