import { onTestFinished } from 'vitest';
import { createPortaria, type Portaria } from '../../src/compose.ts';
import { loadConfig } from '../../src/config/load-config.ts';

/** Creates a whole Portaria with an in-memory database, without handlers and on free ports. It stops when the test ends. */
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
