import { textOf } from '../../../test/support/page-text.ts';
import { openWithControls } from './control-setup.ts';

const ORIGIN = 'http://localhost:4010';
const browser = { accept: 'text/html,application/xhtml+xml', 'sec-fetch-site': 'same-origin' };

type Headers = Readonly<Record<string, string>>;

/** A visitor without JavaScript: opens pages, and sends their forms with the fields that they have. */
export async function visit() {
  const setup = await openWithControls();
  const { app } = setup;

  async function load(path: string, init: RequestInit, address = '127.0.0.1') {
    const headers = { host: 'localhost:4010', ...browser, ...(init.headers as Headers | undefined) };
    const env = { incoming: { socket: { remoteAddress: address } } };
    const response = await app.request(`${ORIGIN}${path}`, { ...init, headers }, env);
    const html = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      html,
      text: textOf(html),
      location: response.headers.get('location'),
    };
  }

  const open = (path: string, headers: Headers = {}, address?: string) => load(path, { headers }, address);

  async function post(path: string, fields: Headers, headers: Headers = {}) {
    const body = new URLSearchParams(fields).toString();
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
  }

  /** Sends the form of a page whose action is `to`, with its hidden fields and the given ones. */
  async function send(page: string, to: string, fields: Headers = {}, headers: Headers = {}) {
    const { html } = await open(page);
    const form = [...html.matchAll(/<form method="post" action="([^"]*)"[^>]*>(.*?)<\/form>/gsu)].find(
      ([, action, content = '']) =>
        action === to && Object.entries(fields).every(([name, value]) => !hasOther(content, name, value)),
    );
    if (form === undefined) throw new Error(`${page} has no form ${to}`);
    const hidden = [...(form[2] ?? '').matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/gu)];
    const own = Object.fromEntries(hidden.map(([, name = '', value = '']) => [name, textOf(value)]));
    return post(to, { ...own, ...fields }, headers);
  }

  return { ...setup, open, post, send };
}

/** Whether a form has a hidden field of this name with another value. */
function hasOther(content: string, name: string, value: string): boolean {
  return (
    content.includes(`type="hidden" name="${name}"`) && !content.includes(`name="${name}" value="${value}"`)
  );
}

export const allPages = [
  '/control/',
  '/control/deliveries',
  '/control/logins',
  '/control/slips',
  '/control/documents',
] as const;
