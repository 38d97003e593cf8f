import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import type { ConsoleTokens, Visitor } from './access.ts';

/** Milliseconds that a session lasts: one working day. */
export const SESSION_MS = 12 * 3_600_000;

/** Milliseconds for which a rendered form can be sent. */
const FORM_MS = 12 * 3_600_000;

/** Signs sessions and forms of the console. */
export interface Seals {
  /** Returns the value of the session cookie. */
  session(visitor: Pick<Visitor, 'name' | 'may'>, now: number): string;
  /** Returns the visitor of a session cookie; undefined when it is forged, altered or over. */
  visitor(cookie: string, now: number): Visitor | undefined;
  /** Returns the token that every form of this visitor carries. */
  form(visitor: Pick<Visitor, 'session'>, now: number): string;
  /** Whether a form with this token was rendered for this visitor, and not too long ago. */
  isForm(token: string, visitor: Pick<Visitor, 'session'>, now: number): boolean;
  /** Returns `value` with a signature for one purpose: what it says cannot be changed, but can be read. */
  seal(purpose: string, value: unknown): string;
  /** Returns the value of {@link seal} for the same purpose; undefined when it is forged or altered. */
  open(purpose: string, sealed: string): unknown;
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
 * Creates the seals of a process. Processes with the same tokens and the same store accept each other's sessions:
 * the store knows which were signed out. A changed token ends all sessions.
 */
export function createSeals({ all, view }: ConsoleTokens, { storeId, key: storeKey }: StoreSecret): Seals {
  const secret = all === null && view === null ? storeKey : `${all ?? ''}\0${view ?? ''}`;
  const key = Buffer.from(hkdfSync('sha256', secret, storeId, 'portaria console', 32));

  const sign = (purpose: string, text: string): Buffer =>
    createHmac('sha256', key).update(`${purpose}\0${text}`).digest();

  function seal(purpose: string, value: unknown): string {
    const text = Buffer.from(JSON.stringify(value)).toString('base64url');
    return `${text}.${sign(purpose, text).toString('base64url')}`;
  }

  function open(purpose: string, sealed: string): unknown {
    const [text = '', signature = '', ...rest] = sealed.split('.');
    // The texts are compared: a decoder would skip characters that belong to no signature.
    const given = Buffer.from(signature);
    const expected = Buffer.from(sign(purpose, text).toString('base64url'));
    if (rest.length > 0 || given.length !== expected.length || !timingSafeEqual(given, expected))
      return undefined;
    return JSON.parse(Buffer.from(text, 'base64url').toString()) as unknown;
  }

  return {
    seal,
    open,
    session({ name, may }, now) {
      const id = randomBytes(16).toString('base64url');
      return seal('session', { id, name, may, ends: now + SESSION_MS });
    },
    visitor(cookie, now) {
      const { data } = sessionSchema.safeParse(open('session', cookie));
      if (data === undefined || data.ends <= now) return undefined;
      return { name: data.name, kind: 'token', may: data.may, session: data.id, endsAt: data.ends };
    },
    form: ({ session }, now) => seal(`form ${session}`, now),
    isForm(token, { session }, now) {
      const renderedAt = open(`form ${session}`, token);
      return typeof renderedAt === 'number' && renderedAt <= now && now - renderedAt < FORM_MS;
    },
  };
}
