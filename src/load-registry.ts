import type { Config } from './config/config.ts';
import { createRegistry, type Registry } from './handle/load/registry.ts';
import type { Definition } from './handle/define/definition.ts';
import { loadHandlers } from './handle/load/load-handlers.ts';
import { ownFolder } from './kernel/files/package-files.ts';

type HandlersConfig = Pick<Config, 'handlersFolder' | 'forward'> & Partial<Pick<Config, 'handlersTimeoutMs'>>;

/**
 * Loads the handlers of the configured folder, or the shipped ones. With a forward target, the shipped
 * `forward` is added to a configured folder that has no handler of this name.
 *
 * @throws PortariaError `handler-invalid`, which names every file that is not valid
 */
export async function loadRegistry(config: HandlersConfig): Promise<Registry> {
  const shipped = () => loadHandlers({ folder: ownFolder('handlers'), config });
  if (config.handlersFolder === null) return createRegistry(await shipped());
  const { handlersFolder: folder, handlersTimeoutMs: timeoutMs } = config;
  const own = await loadHandlers({ folder, config, ...(timeoutMs !== undefined && { timeoutMs }) });
  if (config.forward === null || own.some(isForward)) return createRegistry(own);
  return createRegistry([...own, ...(await shipped()).filter(isForward)]);
}

const isForward = ({ name }: Definition): boolean => name === 'forward';
