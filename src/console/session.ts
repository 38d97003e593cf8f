/** Sessions of the console as signed tokens. */
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { createSigner } from '../kernel/signed-token.ts';
import type { AccessTokens, Visitor } from '../access/roles.ts';
import { createFormTokens, type FormTokens } from '../pages/form-guard.ts';

/** Milliseconds that a session lasts: one working day. */
export const SESSION_MS = 12 * 3_600_000;

/** Signs sessions and forms of the console. */
export interface Sessions extends FormTokens {
  /** Returns the value of the session cookie. */
  session(visitor: Pick<Visitor, 'name' | 'may'>, now: number): string;
  /** Returns the visitor of a session cookie; undefined when it is forged, altered or over. */
  visitor(cookie: string, now: number): Visitor | undefined;
}

const sessionSchema = z.object({
  id: z.string(),
  name: z.string(),
  may: z.array(z.enum(['view', 'operate', 'unmask'])),
  ends: z.number(),
});

/** What the processes of one store share. */
export interface StoreSecret {
  readonly storeId: string;
  readonly key: Uint8Array;
}

/**
 * Signs for a process. Processes with the same tokens and the same store accept each other's sessions: the store
 * knows which were signed out. A changed token ends all sessions.
 */
export function createSessions({ all, view }: AccessTokens, { storeId, key }: StoreSecret): Sessions {
  const secret = all === null && view === null ? key : `${all ?? ''}\0${view ?? ''}`;
  const signer = createSigner(secret, `portaria console ${storeId}`);
  return {
    ...createFormTokens(signer),
    session({ name, may }, now) {
      const id = randomBytes(16).toString('base64url');
      return signer.sign('session', { id, name, may, ends: now + SESSION_MS });
    },
    visitor(cookie, now) {
      const { data } = sessionSchema.safeParse(signer.open('session', cookie));
      if (data === undefined || data.ends <= now) return undefined;
      return { name: data.name, kind: 'token', may: data.may, session: data.id, endsAt: data.ends };
    },
  };
}
