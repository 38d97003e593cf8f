import type { Config } from './config/config.ts';
import { createRegistry, type Registry } from './handle/load/registry.ts';
import type { Definition } from './handle/define/definition.ts';
import { loadHandlers } from './handle/load/load-handlers.ts';
import { ownFolder } from './kernel/files/package-files.ts';

/**
 * The registry a process runs: the configured folder's handlers, or the shipped
 * ones. With a forward target, `forward` runs beside a folder of one's own too,
 * unless that has one by this name.
 *
 * @throws PortariaError `handler-invalid` naming every file that is no good.
 */
export async function loadRegistry(config: Pick<Config, 'handlersFolder' | 'forward'>): Promise<Registry> {
  const shipped = () => loadHandlers({ folder: ownFolder('handlers'), config });
  if (config.handlersFolder === null) return createRegistry(await shipped());
  const own = await loadHandlers({ folder: config.handlersFolder, config });
  if (config.forward === null || own.some(isForward)) return createRegistry(own);
  return createRegistry([...own, ...(await shipped()).filter(isForward)]);
}

const isForward = ({ name }: Definition): boolean => name === 'forward';
