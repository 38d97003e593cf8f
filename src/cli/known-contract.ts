/** The kinds that a command knows, and by which it masks payloads. */
import { withSourceFields, type Contract } from '../contract/contract.ts';
import { maskAll } from '../contract/personal-data.ts';
import { specification } from '../contract/specification.ts';
import { PortariaError } from '../kernel/errors.ts';
import type { Session } from './session.ts';

/**
 * Returns the kinds that the configured process knows: the specification's and those of the handlers folder, which
 * is loaded only when one is configured.
 *
 * @throws PortariaError `handler-invalid`
 */
export async function knownContract(session: Session): Promise<Contract> {
  const config = session.config();
  if (config.handlersFolder === null) return withSourceFields(specification, config.sources);
  const { loadRegistry } = await import('../load-registry.ts');
  return (await loadRegistry(config)).contract;
}

/**
 * Returns the contract to mask by. When the handlers folder cannot be loaded nothing is known of its kinds, so a
 * note says so and every payload is masked wholly: an operator can still look at events. Do not use it for machine
 * states: those are masked by field names, which need the custom kinds.
 */
export async function maskingContract(session: Session): Promise<Contract> {
  try {
    return await knownContract(session);
  } catch (error) {
    if (!PortariaError.is(error, 'handler-invalid')) throw error;
    await session.note(`note: payloads are masked wholly: ${error.message}`);
    return { ...specification, find: () => undefined, mask: (_source, _kind, data) => maskAll(data) };
  }
}
