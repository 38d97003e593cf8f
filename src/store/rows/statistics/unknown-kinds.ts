import { countOf } from '../../../kernel/text/count.ts';
import type { StoreCheck } from '../../store.ts';

/**
 * The check of kinds outside the contract. Never fails: beyond the maximum, unknown kinds are counted together.
 *
 * @param count the number of kinds
 * @param others the events of kinds beyond the maximum
 */
export function unknownKinds(count: number, others: number): StoreCheck {
  const found =
    count === 0
      ? 'no kind outside the contract has arrived'
      : `${countOf(count, 'kind')} outside the contract ${count === 1 ? 'has' : 'have'} arrived (\`portaria contract drift\` names ${count === 1 ? 'it' : 'them'})`;
  return {
    name: 'unknown kinds',
    ok: true,
    detail: others === 0 ? found : `${found}, ${String(others)} events of others together`,
  };
}
