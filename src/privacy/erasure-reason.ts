/** The reason of an erasure: it is in the ledger and the signed receipt, which cannot be masked later. */
import { PortariaError } from '../kernel/errors.ts';
import { maskText } from '../kernel/text/scrub.ts';
import { requireReason } from './holds.ts';
import type { Identifier } from './identifier.ts';
import { everyName, personOf } from './person.ts';

/**
 * Checks the reason of an erasure. Called before the audit records it.
 *
 * @returns the reason as it is stored
 * @throws PortariaError `invalid-argument` when it is empty or too long, names the person, or may name anybody
 */
export function requireErasureReason(text: string, identifiers: readonly Identifier[]): string {
  const reason = requireReason(text);
  const subjects = identifiers.filter(({ type }) => type === 'subject').flatMap(everyName);
  if (personOf(identifiers).findIn(reason).length > 0 || subjects.some(({ value }) => isIn(value, reason)))
    throw new PortariaError('invalid-argument', { code: 'reason-names-person' });
  if (maskText(reason) !== reason) throw new PortariaError('invalid-argument', { code: 'reason-personal' });
  return reason;
}

/** Whether a text has the name of a subject, but not as a part of a longer one: `company:2` is not in `company:25`. */
function isIn(name: string, text: string): boolean {
  const [lower, all] = [name.toLowerCase(), text.toLowerCase()];
  for (let at = all.indexOf(lower); at >= 0; at = all.indexOf(lower, at + 1))
    if (!/[\p{L}\p{N}]/u.test(all.charAt(at + lower.length))) return true;
  return false;
}
