import { sampleData } from '../../../src/testing/sample-data.ts';
import type { EventKind } from '../../../src/contract/catalogue.ts';
import { setUpOps, type OpsSetup } from '../../ops/ops-setup.ts';

/** A page as a browser without JavaScript gets it. */
export interface LoadedPage {
  readonly status: number;
  readonly headers: Headers;
  readonly html: string;
  /** The address that a redirect leads to; null without one. */
  readonly location: string | null;
}

/** A visitor of the console: keeps cookies, sends forms with the token of the page that has them. */
export interface Visit {
  readonly setup: OpsSetup;
  open(path: string, headers?: Readonly<Record<string, string>>): Promise<LoadedPage>;
  /** Sends a form as the browser would: with the hidden token of the page at `from`. */
  send(
    path: string,
    fields: Readonly<Record<string, string>>,
    options?: { readonly from?: string; readonly headers?: Readonly<Record<string, string>> },
  ): Promise<LoadedPage>;
  close(): Promise<void>;
}

const ORIGIN = 'http://127.0.0.1:9090';

export async function visitConsole(options: Parameters<typeof setUpOps>[0] = {}): Promise<Visit> {
  const setup = await setUpOps(options);
  const cookies = new Map<string, string>();

  async function load(path: string, init: RequestInit): Promise<LoadedPage> {
    const headers = new Headers(init.headers);
    headers.set('host', '127.0.0.1:9090');
    if (!headers.has('accept')) headers.set('accept', 'text/html');
    headers.set('cookie', [...cookies].map(([name, value]) => `${name}=${value}`).join('; '));
    const response = await setup.request(`${ORIGIN}${path}`, { ...init, headers });
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = ''] = cookie.split(';');
      const equals = pair.indexOf('=');
      cookies.set(pair.slice(0, equals), pair.slice(equals + 1));
    }
    return {
      status: response.status,
      headers: response.headers,
      html: await response.text(),
      location: response.headers.get('location'),
    };
  }

  const visit: Visit = {
    setup,
    open: (path, headers = {}) => load(path, { headers }),
    async send(path, fields, { from = '/', headers = {} } = {}) {
      const token = /name="_token" value="([^"]*)"/u.exec((await visit.open(from)).html)?.[1] ?? '';
      const body = new URLSearchParams({ _token: token, ...fields }).toString();
      return load(path, {
        method: 'POST',
        body,
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          'content-length': String(Buffer.byteLength(body)),
          origin: ORIGIN,
          ...headers,
        },
      });
    },
    close: () => setup.close(),
  };
  return visit;
}

/** A body of a kind with some fields changed. */
export function webhook(type: EventKind, changes: Readonly<Record<string, unknown>> = {}): object {
  return { type, data: { ...sampleData(type), ...changes } };
}

/** The id of the plan that a page shows. */
export function planOf({ html }: LoadedPage): string {
  return /name="plan" value="([^"]+)"/u.exec(html)?.[1] ?? '';
}

/** Starts the plan that a page shows. */
export function startPlan(
  visit: Visit,
  page: LoadedPage,
  fields: Readonly<Record<string, string>> = {},
): Promise<LoadedPage> {
  return visit.send('/plan/start', { plan: planOf(page), staged: 'true', stop_at: '20', ...fields });
}

/** An update of a charge, always of the same time. */
export const chargeUpdate = (id: number, status = 'pending') =>
  webhook('charge.updated', { id, status, updated_at: '2026-11-20T10:00:00Z' });

/** Stores events of charges whose deliveries to `billing` fail for good. */
export async function failCharges(
  { setup }: Visit,
  { count, error, from = 1 }: { readonly count: number; readonly error: string; readonly from?: number },
): Promise<void> {
  setup.failing = error;
  for (let id = from; id < from + count; id++) await setup.receive(chargeUpdate(id));
  await setup.settle();
}
