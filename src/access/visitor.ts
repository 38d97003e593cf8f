/** Finds the visitor of a request. */
import type { Context } from 'hono';
import { hostOf, isLoopbackHost } from '../kernel/http/browser-guard.ts';
import { loopbackVisitor, type AccessTokens, type Visitor } from './roles.ts';
import { isLoopbackAddress, type SignOn } from './sign-on.ts';

/** Who is let in to the private port: the console and the operators' API. */
export interface Access {
  readonly tokens: AccessTokens;
  readonly signOn: SignOn;
  /** Whether nobody has to sign in: whoever addresses a loopback name from this machine may do everything. */
  readonly isOpen: boolean;
}

/** What a request may prove besides the name that a proxy gives. */
interface Proof {
  /** The visitor of a token that the request itself carries. It counts before a proxy's name. */
  readonly token?: Visitor | undefined;
  /** The visitor of a session. A proxy's name counts before it. */
  session?(this: void): Promise<Visitor | undefined>;
}

/**
 * Why a request has no visitor.
 *
 * - `foreign-host`: nobody has to sign in, and the request does not address a loopback name (DNS rebinding), comes
 *   from another machine, or has no known address.
 * - `unknown`: nothing says who it is.
 * - The others are those of a proxy's `Claim`.
 */
export type Unidentified = 'foreign-host' | 'unknown' | 'rebound' | 'unnamed' | 'unusable-name';

/** Finds the visitor of a request, or why it has none. Console and operators' API let in by this alone. */
export async function visitorOf(
  c: Context,
  { signOn, isOpen }: Omit<Access, 'tokens'>,
  { token, session }: Proof,
): Promise<Visitor | Unidentified> {
  // A page whose name was rebound to 127.0.0.1 carries that name in `Host`. A program writes any name into it.
  if (isOpen)
    return isLoopbackHost(hostOf(c.req.raw)) && isLoopbackAddress(signOn.addressOf(c))
      ? loopbackVisitor
      : 'foreign-host';
  if (token !== undefined) return token;
  const claim = signOn.claim(c);
  if (claim.by === 'proxy') return claim.visitor;
  if (claim.by === 'rebound') return 'rebound';
  const visitor = await session?.();
  if (visitor !== undefined) return visitor;
  return claim.by === 'unnamed' || claim.by === 'unusable-name' ? claim.by : 'unknown';
}
