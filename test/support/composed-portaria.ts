import { onTestFinished } from 'vitest';
import { createPortaria, type Portaria } from '../../src/compose.ts';
import { loadConfig } from '../../src/config/load-config.ts';

/** Creates a Portaria in memory, without handlers and with free ports. It stops at the end of the test. */
export async function composedPortaria(settings: Readonly<Record<string, string>>): Promise<Portaria> {
  const env = {
    PORTARIA_DATABASE: ':memory:',
    PORTARIA_PORT: '0',
    PORTARIA_OPS_PORT: '0',
    PORTARIA_LOG_LEVEL: 'silent',
    ...settings,
  };
  const portaria = await createPortaria({ config: loadConfig(env, '/'), handlers: [] });
  onTestFinished(() => portaria.stop());
  return portaria;
}
