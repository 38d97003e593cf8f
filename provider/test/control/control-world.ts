import { createControlApp } from '../../control/control-app.ts';
import { createProviderApp } from '../../http/provider-app.ts';
import { calm } from '../../webhooks/chaos/chaos-rates.ts';
import type { Chaos } from '../../webhooks/sending/send-delivery.ts';
import { openScenarioWorld } from '../scenario-world.ts';
import { answerOf, type ProviderResponse } from '../test-provider.ts';

/** The client of a request: the socket's address and the headers. */
interface Asking {
  readonly address?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Opens a provider with `/control`. */
export async function openControlWorld() {
  const world = await openScenarioWorld();
  const { provider, scenario, log } = world;
  let chaos: Chaos = { rates: calm, seed: 7 };
  const sender = {
    chaos: () => chaos,
    setChaos(next: Chaos) {
      chaos = next;
    },
    wake: () => undefined,
  };
  const control = createControlApp({ provider, scenario, sender }, log);
  const app = createProviderApp(provider, { log, version: '0.0.0', control });

  async function ask(
    method: string,
    path: string,
    body?: unknown,
    asking: Asking = {},
  ): Promise<ProviderResponse> {
    const { address = '127.0.0.1', headers = {} } = asking;
    const init = {
      method,
      headers: {
        host: 'localhost:4010',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    };
    return answerOf(await app.request(path, init, { incoming: { socket: { remoteAddress: address } } }));
  }

  return {
    ...world,
    app,
    ask,
    see: (path: string) => ask('GET', `/control${path}`),
    drive: (path: string, body?: unknown) => ask('POST', `/control${path}`, body),
    /** Names and contents of the webhooks since the last look. */
    told: watching(async () => world.ours.webhooks()),
  };
}

function watching<T>(all: () => Promise<readonly T[]>): () => Promise<readonly T[]> {
  let seen = 0;
  return async () => {
    const every = await all();
    const fresh = every.slice(seen);
    seen = every.length;
    return fresh;
  };
}
