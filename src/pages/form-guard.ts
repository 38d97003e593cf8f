/** Guards of pages and forms: security headers, origins and tokens. */
import type { Context, MiddlewareHandler } from 'hono';
import { isCrossOrigin, type BrowserHeaders } from '../kernel/http/browser-guard.ts';
import { isReadMethod } from '../kernel/http/read-method.ts';
import type { Clock } from '../kernel/time/clock.ts';
import type { Signer } from '../kernel/signed-token.ts';
import { AHEAD_MS } from '../kernel/time/following-clock.ts';

/** The variables of a request for a page. */
export interface PageEnv {
  Variables: {
    visitor: FormVisitor;
    /** The fields of a form, after its token was checked. */
    fields: URLSearchParams;
  };
}

/** Bytes of a form at most: ids and filters. */
const MAX_FORM_BYTES = 262_144;
/** Bytes of the form of a sender whom nobody knows yet, and of all of them that arrive at once. */
const MAX_UNKNOWN_FORM_BYTES = 4_096;
const MAX_UNKNOWN_BYTES = 1_048_576;

/** Why a form is rejected: a page of another origin sent it, or it is too old. The app renders it as a page. */
export class FormRejection extends Error {
  readonly reason: 'foreign' | 'stale-form';
  readonly status: 403 | 413 | 503;

  constructor(reason: FormRejection['reason'], status: FormRejection['status'] = 403) {
    super(`a form was rejected: ${reason}`);
    this.reason = reason;
    this.status = status;
  }
}

/** The pages' own files only, no frames around them, no inline script or style. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

export const securityHeaders: MiddlewareHandler = async (c, next) => {
  await next();
  c.header('content-security-policy', POLICY);
  c.header('referrer-policy', 'same-origin');
  c.header('cross-origin-opener-policy', 'same-origin');
  c.header('x-frame-options', 'DENY');
};

/** Returns the headers that tell a page's own requests from others. */
type BrowserHeadersOf = (c: Context) => BrowserHeaders;

interface FormGuard {
  readonly tokens: FormTokens;
  readonly clock: Pick<Clock, 'now'>;
  readonly browserHeaders: BrowserHeadersOf;
}

/**
 * Requires of every change that this origin's own page sent it, with the token of a form of this visitor,
 * whatever its content type is.
 */
export function requireForm({ tokens, clock, browserHeaders }: FormGuard): MiddlewareHandler<PageEnv> {
  return async (c, next) => {
    if (isReadMethod(c.req.method)) return next();
    rejectForeign(c, browserHeaders);
    const fields = await readFields(c);
    if (!tokens.isForm(fields.get('_token') ?? '', c.get('visitor'), clock.now()))
      throw new FormRejection('stale-form');
    c.set('fields', fields);
    return next();
  };
}

/** Rejects a change that a page of another origin sent. */
export function rejectForeign(c: Context, browserHeaders: BrowserHeadersOf): void {
  if (isCrossOrigin(browserHeaders(c))) throw new FormRejection('foreign');
}

async function readFields(c: Context): Promise<URLSearchParams> {
  requireLength(c, MAX_FORM_BYTES);
  return new URLSearchParams(await c.req.text());
}

/** Whom a form is rendered for. */
interface FormVisitor {
  /** Binds the tokens of forms to this session. */
  readonly session: string;
}

/** Proves that this server rendered a form, and for whom. */
export interface FormTokens {
  /** Returns the token that every form of this visitor carries. */
  form(visitor: FormVisitor, now: number): string;
  /** Whether a form with this token was rendered for this visitor, and not too long ago. */
  isForm(token: string, visitor: FormVisitor, now: number): boolean;
}

/** Milliseconds for which a rendered form can be sent. */
const FORM_MS = 12 * 3_600_000;

export function createFormTokens(signer: Signer): FormTokens {
  return {
    form: ({ session }, now) => signer.sign(`form ${session}`, now),
    isForm(token, { session }, now) {
      const renderedAt = signer.open(`form ${session}`, token);
      return typeof renderedAt === 'number' && renderedAt <= now + AHEAD_MS && now - renderedAt < FORM_MS;
    },
  };
}

/** Reads forms of senders whom nobody knows yet. They share a budget, so that many of them hold little memory. */
export function createUnknownFields(): (c: Context) => Promise<URLSearchParams> {
  let arriving = 0;
  return async (c) => {
    const length = requireLength(c, MAX_UNKNOWN_FORM_BYTES);
    if (arriving + length > MAX_UNKNOWN_BYTES) throw new FormRejection('stale-form', 503);
    arriving += length;
    try {
      return await readFields(c);
    } finally {
      arriving -= length;
    }
  };
}

/** A missing length counts as too long: browsers always send one. */
function requireLength(c: Context, maxBytes: number): number {
  const length = Number(c.req.header('content-length') ?? Number.NaN);
  if (!(length <= maxBytes)) throw new FormRejection('stale-form', 413);
  return length;
}
