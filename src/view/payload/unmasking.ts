/** How views mask payloads and errors. */
import type { Contract } from '../../contract/contract.ts';
import { storedWithEvery } from '../../event/delivery.ts';
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

/** Names of headers whose values open something; a signature opens nothing. */
const CREDENTIAL = /authorization|cookie|token|api-?key|secret|passw|session/;

/** Headers as they may leave the store: what a webhook without proof had of credentials is masked. */
export function exportedHeaders(
  headers: Headers,
  { isProven }: { readonly isProven: boolean },
): Record<string, string> {
  return hiding(headers, (name) => !isProven && CREDENTIAL.test(name));
}

/** Headers of a webhook without proof are stored to find its proof, so they may hold a secret until they are unmasked. */
export function shownHeaders(
  headers: Headers,
  { isProven, unmask }: Unmasking & { readonly isProven: boolean },
): Record<string, string> {
  return hiding(headers, (name) => !unmask && !isProven && !storedWithEvery.includes(name));
}

type Headers = Readonly<Record<string, string>>;

function hiding(headers: Headers, isHidden: (name: string) => boolean): Record<string, string> {
  const shown = Object.entries(headers).map(([name, value]) => [name, isHidden(name) ? '***' : value]);
  return Object.fromEntries(shown) as Record<string, string>;
}

/** An error without personal data, and without where in the code it was thrown. */
export function shortError(error: string): string {
  return errorText(error, { unmask: false }).replace(/ \(at .*\)$/su, '');
}
