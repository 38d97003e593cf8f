import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { createSigner } from '../kernel/signed-token.ts';
import type { ConsoleTokens, Visitor } from './access.ts';

/** Milliseconds that a session lasts: one working day. */
export const SESSION_MS = 12 * 3_600_000;

/** Milliseconds for which a rendered form can be sent. */
const FORM_MS = 12 * 3_600_000;

/** Signs sessions and forms of the console. */
export interface Sessions {
  /** Returns the value of the session cookie. */
  session(visitor: Pick<Visitor, 'name' | 'may'>, now: number): string;
  /** Returns the visitor of a session cookie; undefined when it is forged, altered or over. */
  visitor(cookie: string, now: number): Visitor | undefined;
  /** Returns the token that every form of this visitor carries. */
  form(visitor: Pick<Visitor, 'session'>, now: number): string;
  /** Whether a form with this token was rendered for this visitor, and not too long ago. */
  isForm(token: string, visitor: Pick<Visitor, 'session'>, now: number): boolean;
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
export function createSessions({ all, view }: ConsoleTokens, { storeId, key }: StoreSecret): Sessions {
  const secret = all === null && view === null ? key : `${all ?? ''}\0${view ?? ''}`;
  const signer = createSigner(secret, `portaria console ${storeId}`);
  return {
    session({ name, may }, now) {
      const id = randomBytes(16).toString('base64url');
      return signer.sign('session', { id, name, may, ends: now + SESSION_MS });
    },
    visitor(cookie, now) {
      const { data } = sessionSchema.safeParse(signer.open('session', cookie));
      if (data === undefined || data.ends <= now) return undefined;
      return { name: data.name, kind: 'token', may: data.may, session: data.id, endsAt: data.ends };
    },
    form: ({ session }, now) => signer.sign(`form ${session}`, now),
    isForm(token, { session }, now) {
      const renderedAt = signer.open(`form ${session}`, token);
      return typeof renderedAt === 'number' && renderedAt <= now && now - renderedAt < FORM_MS;
    },
  };
}
