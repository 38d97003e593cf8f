/** Groups held webhooks by what was wrong with them. */
import type { ParseIssue } from '../../../event/delivery.ts';
import { errorKind, fingerprintOf } from '../../../kernel/text/error-kind.ts';

/**
 * Returns the fingerprint of what was wrong with a body: its reason, its kind, and the path and text of its first
 * issue, without numbers, quotations and other values of the sender.
 *
 * @param issues JSON, as the store keeps it
 */
export function problemFingerprint(
  reason: string,
  kind: string | null,
  message: string,
  issues: string,
): string {
  const [first] = JSON.parse(issues) as readonly ParseIssue[];
  const text = errorKind(first?.message ?? message);
  return fingerprintOf([reason, kind ?? '', pathKind(first?.path ?? ''), text].join('\n'));
}

/** Positions in lists do not make another problem: `data.items.3.amount` becomes `data.items.*.amount`. */
function pathKind(path: string): string {
  return path
    .split('.')
    .map((part) => (/^\d+$/u.test(part) ? '*' : part))
    .join('.');
}
