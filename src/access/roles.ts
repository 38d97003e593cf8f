/** The roles of the private port, and what grants them. */
import { equalsAny, fingerprint } from '../kernel/equal-secrets.ts';
import type { OperatorAction } from '../telemetry/telemetry.ts';

/**
 * What a visitor of the private port may do.
 *
 * - `view`: read every page, with personal data masked.
 * - `operate`: retry, release, replay, pause.
 * - `unmask`: read personal data in plain text.
 */
export type Permission = 'view' | 'operate' | 'unmask';

export const everything = ['view', 'operate', 'unmask'] as const satisfies readonly Permission[];

/** Who makes a request, and what the server lets them do. */
export interface Visitor {
  /** The name in the audit: `loopback`, `token`, `view token`, or the name that a proxy gave. */
  readonly name: string;
  /** How the visitor was identified; the log names it instead of a person. */
  readonly kind: OperatorAction['actor'];
  readonly may: readonly Permission[];
  /** Binds the tokens of forms to this session. */
  readonly session: string;
  /** Milliseconds since 1970 at which the session ends; null when there is none to end. */
  readonly endsAt: number | null;
}

/** The tokens of the private port. Without `all`, only loopback names are allowed in. */
export interface AccessTokens {
  /** `PORTARIA_OPS_TOKEN`: everything. */
  readonly all: string | null;
  /** `PORTARIA_OPS_VIEW_TOKEN`: reading, masked. */
  readonly view: string | null;
}

/** Returns what a token permits; undefined when it is no token of this process. Compares in constant time. */
export function grantOf(
  given: string,
  { all, view }: AccessTokens,
): Pick<Visitor, 'name' | 'kind' | 'may'> | undefined {
  const sent = fingerprint(given);
  if (all !== null && equalsAny(sent, [fingerprint(all)]))
    return { name: 'token', kind: 'token', may: everything };
  if (view !== null && equalsAny(sent, [fingerprint(view)]))
    return { name: 'view token', kind: 'token', may: ['view'] };
  return undefined;
}

/** The visitor from a loopback address, when nobody has to sign in. */
export const loopbackVisitor: Visitor = {
  name: 'loopback',
  kind: 'loopback',
  may: everything,
  session: 'loopback',
  endsAt: null,
};
