/** How views mask payloads and errors. */
import type { Contract } from '../../contract/contract.ts';
import { maskText } from '../../kernel/text/scrub.ts';

/** Whether personal data is shown in plain text. Views mask it by default. */
export interface Unmasking {
  readonly unmask: boolean;
}

/** How payloads are shown: which of their fields are personal, and whether those show. */
export interface Masking extends Unmasking {
  readonly contract: Contract;
}

/** The text of an error, which may quote a payload: likely personal data is replaced until it is unmasked. */
export function errorText<T extends string | null>(text: T, { unmask }: Unmasking): T | string {
  return unmask || text === null ? text : maskText(text);
}
