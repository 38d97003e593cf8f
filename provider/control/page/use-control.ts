/** Sends a form of `/control` to its control. */
import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { PageEnv } from '../../../src/pages/form-guard.ts';
import { HttpError } from '../../http/http-error.ts';

/** What a control did with a form. */
export type ControlResult =
  | {
      readonly problem: null;
      readonly done: 'advanced' | 'resent' | 'other';
      /** Steps that ran, or webhooks that are sent again; null when nothing is counted. */
      readonly count: number | null;
    }
  | { readonly problem: string; readonly status: ContentfulStatusCode };

const PREFIX = '/control/do';
const METHODS: ReadonlySet<string> = new Set(['POST', 'PUT', 'DELETE']);

/** Controls whose fields are numbers. The fields of all others are strings, as they were typed. */
const NUMERIC: ReadonlySet<string> = new Set(['/chaos', '/clock/speed']);

/**
 * Sends the fields of a form to a control, as the JSON that a program would send. Empty fields are left out;
 * those that begin with `_` are the page's own.
 */
export async function useControl(
  c: Context<PageEnv>,
  respond: (request: Request, c: Context) => Promise<Response>,
): Promise<ControlResult> {
  const fields = c.get('fields');
  const path = c.req.path.slice(PREFIX.length);
  const method = fields.get('_method') ?? 'POST';
  if (!METHODS.has(method)) throw new HttpError(405, `_method: expected POST, PUT or DELETE, got ${method}`);
  const given = [...fields].filter(([name, value]) => !name.startsWith('_') && value.trim() !== '');
  const body = Object.fromEntries(
    given.map(([name, value]) => [name, NUMERIC.has(path) ? numberOf(value) : value.trim()]),
  );
  const headers = new Headers({ host: c.req.header('host') ?? '' });
  if (given.length > 0) headers.set('content-type', 'application/json');
  const response = await respond(
    new Request(new URL(`/control${path}`, c.req.url), {
      method,
      headers,
      ...(given.length > 0 && { body: JSON.stringify(body) }),
    }),
    c,
  );
  const result = (await response.json()) as {
    readonly message?: string;
    readonly error?: string;
    readonly data?: { readonly steps?: unknown; readonly resent?: unknown } | null;
  };
  if (!response.ok)
    return {
      problem: result.message ?? result.error ?? '',
      status: response.status as ContentfulStatusCode,
    };
  const { steps, resent } = result.data ?? {};
  if (typeof steps === 'number') return { problem: null, done: 'advanced', count: steps };
  if (typeof resent === 'number') return { problem: null, done: 'resent', count: resent };
  return { problem: null, done: 'other', count: null };
}

/** Portuguese and English decimals. What is no number stays text, which the control rejects with its reason. */
function numberOf(value: string): number | string {
  const number = Number(value.trim().replace(',', '.'));
  return Number.isFinite(number) ? number : value;
}
