import { Hono } from 'hono';
import { expect, test } from 'vitest';
import { loopbackVisitor, type Visitor } from './roles.ts';
import { createSignOn } from './sign-on.ts';
import { visitorOf } from './visitor.ts';

const token: Visitor = { ...loopbackVisitor, name: 'token', kind: 'token' };
const session: Visitor = { ...token, session: 's1' };
const proxy = createSignOn({ header: 'x-user', proxies: ['10.0.0.7'], users: new Map([['*', ['view']]]) });

interface Request {
  readonly proof?: { readonly token?: Visitor; readonly session?: Visitor };
  /** Null where nothing says it: an application hands over the request alone. */
  readonly peer?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly isOpen?: boolean;
}

/** Returns the name of the visitor of a request, or why it is nobody. */
async function letIn({ proof = {}, peer = '10.0.0.9', headers = {}, isOpen = false }: Request) {
  const app = new Hono();
  const access = { signOn: isOpen ? createSignOn(null) : proxy, isOpen };
  app.get('/', async (c) => {
    const visitor = await visitorOf(c, access, {
      token: proof.token,
      session: () => Promise.resolve(proof.session),
    });
    return c.text(typeof visitor === 'string' ? visitor : `${visitor.name} ${visitor.session}`.trim());
  });
  const env = peer === null ? undefined : { incoming: { socket: { remoteAddress: peer } } };
  return (await app.request('http://localhost/', { headers }, env)).text();
}

const named = { peer: '10.0.0.7', headers: { 'x-user': 'ana' } };

test('a token that the request carries counts before the name of a proxy', async () => {
  expect(await letIn({ ...named, proof: { token, session } })).toBe('token loopback');
});

test('the name of a proxy counts before a session', async () => {
  expect(await letIn({ ...named, proof: { session } })).toBe('ana proxy ana');
});

test('a session counts where no proxy names anybody', async () => {
  expect(await letIn({ proof: { session } })).toBe('token s1');
  expect(await letIn({ peer: '10.0.0.7', proof: { session } })).toBe('token s1');
});

test('nobody is told apart by what is missing', async () => {
  expect(await letIn({})).toBe('unknown');
  expect(await letIn({ headers: { 'x-user': 'ana' } }), 'an untrusted peer').toBe('unknown');
  expect(await letIn({ peer: '10.0.0.7' })).toBe('unnamed');
  expect(await letIn({ ...named, headers: { 'x-user': 'a,b' } })).toBe('unusable-name');
});

test('where nobody has to sign in, a loopback name and a peer on this machine are required', async () => {
  for (const peer of ['127.0.0.1', '::1', '::ffff:127.0.0.1'])
    expect(await letIn({ isOpen: true, peer })).toBe('loopback loopback');
  expect(await letIn({ isOpen: true, peer: '127.0.0.1', headers: { host: 'evil.example' } })).toBe(
    'foreign-host',
  );
  for (const peer of ['10.0.0.9', null]) expect(await letIn({ isOpen: true, peer })).toBe('foreign-host');
});
