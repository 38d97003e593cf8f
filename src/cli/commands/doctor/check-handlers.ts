import type { Config } from '../../../config/config.ts';
import { loadRegistry } from '../../../load-registry.ts';
import type { StoreCheck } from '../../../store/store.ts';

/** @throws PortariaError `handler-invalid`, with a problem for each file that is no good. */
export async function checkHandlers(config: Config): Promise<readonly StoreCheck[]> {
  const registry = await loadRegistry(config);
  const names = registry.definitions.map(({ name }) => name);
  const uncovered = registry.coverage().filter(({ handlers }) => handlers.length === 0);
  const gap =
    uncovered.length === 0
      ? 'every kind is covered'
      : `${String(uncovered.length)} kinds go to nobody (see \`portaria handlers list --uncovered\`)`;
  return [{ name: 'handlers', ok: true, detail: `${names.join(', ') || 'none'}; ${gap}` }];
}
