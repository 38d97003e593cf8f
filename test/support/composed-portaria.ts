import { onTestFinished } from 'vitest';
import { createPortaria, type Portaria } from '../../src/compose.ts';
import { loadConfig } from '../../src/config/load-config.ts';

/** A whole Portaria in memory without handlers, on free ports once it is started; it stops with its test. */
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
