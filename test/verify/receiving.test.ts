/** Sources of the settings and of handlers files, by HTTP. */
import { createHash, createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { serving } from '../cli/kit/serving.ts';
import { BODY, senders, type Sent } from './senders.ts';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
/** Svix signs with the decoded bytes. */
const KEY = Buffer.from(SECRET.slice(6), 'base64');

async function post(url: string, { headers, query = {} }: Sent, body = BODY): Promise<number> {
  const to = new URL(url);
  for (const [name, value] of Object.entries(query)) to.searchParams.set(name, value);
  const response = await fetch(to, { method: 'POST', headers, body });
  await response.text();
  return response.status;
}

/** Accepted under whatever name: the kinds of these sources are unknown. */
const ACCEPTED = 202;

const documented = ['senders.md', 'internals/senders.md'].map((page) => {
  const text = readFileSync(new URL(`../../docs/${page}`, import.meta.url), 'utf8');
  return /<!-- sources -->\s+```ts\n(.*?)```/s.exec(text)?.[1];
});

test('each source of the pages about senders takes what its sender sends, and nothing else', async () => {
  const sources = [...documented.join('\n').matchAll(/^defineSource\('([\w-]+)',.*?^\}\);$/gms)];
  const code = sources.map(({ 0: text }, at) => `export const s${String(at)} = ${text}`).join('\n');
  const handlers = {
    sources: `import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
      import { defineKind, defineSource, z } from 'portaria';
      const kinds = [defineKind('other', { schema: z.object({ id: z.number() }) })];
      ${code}`,
  };
  const names = sources.map(({ 1: name = '' }) => name);
  const env = Object.fromEntries(
    names.map((name) => [
      `${name.replaceAll('-', '_').toUpperCase()}_SECRETS`,
      `another old secret,${SECRET}`,
    ]),
  );
  const standard = `${Buffer.from('another old secret').toString('base64')},${SECRET}`;
  const cli = await serving({ ...env, SVIX_SECRETS: standard }, { handlers });
  const at = Math.floor(cli.clock.now() / 1000);
  for (const { 0: text, 1: name = '' } of sources) {
    const url = `${cli.url}/${name}`;
    const hash = createHash('sha256').update(BODY).digest('hex');
    const proof = createHmac('sha256', SECRET).update(`POST /webhooks/partner ${hash}`).digest('hex');
    const key = (name === 'svix' ? KEY : SECRET) as never;
    const sent = (await senders[name]?.send(key, BODY, at)) ?? { headers: { 'x-proof': proof } };
    const topic = { 'x-github-event': 'push', 'x-shopify-topic': 'orders/paid' };
    const body = BODY.replace('type', 'event');
    const good = { ...sent, headers: { ...sent.headers, ...topic } };
    const isOpen = senders[name]?.isBodyOpen === true;
    expect([name, await post(url, { headers: topic })]).toEqual([name, 401]);
    expect([name, await post(url, good, `${BODY}\n`)]).toEqual([name, isOpen ? expect.any(Number) : 401]);
    expect(await post(url, good, isOpen ? body : BODY), name).not.toBe(401);
    if (name !== 'partner') expect(text.split('\n').length, name).toBeLessThanOrEqual(10);
  }
  const { err } = cli.terminal.written;
  expect(err).not.toContain(SECRET);
});

test('sources of PORTARIA_SOURCES prove themselves by a template, and by a token that is nowhere to be read', async () => {
  const secrets = [SECRET];
  const verify = {
    ...{ scheme: 'signed', header: 'x-sig', reads: 's={signature}', algorithm: 'sha1', encoding: 'base64' },
    ...{ signs: '{method} {url} {header:x-partner-timestamp}\n{body}', tolerance: '5m' },
  };
  const sources = {
    token: { verify: { scheme: 'token', query: 'key' }, secrets },
    signed: { verify, secrets },
  };
  const cli = await serving({ PORTARIA_SOURCES: JSON.stringify(sources), PORTARIA_LOG_FORMAT: 'json' });
  const token = `${cli.url}/token`;
  expect(await post(token, { headers: {}, query: { key: SECRET } })).not.toBe(401);
  expect(await post(`${token}?key=${SECRET}&key=${SECRET}`, { headers: {} })).toBe(401);
  expect(await post(token, { headers: {}, query: { key: 'wrong' } })).toBe(401);
  expect(await post(token, { headers: {} })).toBe(401);

  const at = String(Math.floor(cli.clock.now() / 1000));
  const url = `${cli.url}/signed?a=%41`;
  const signature = createHmac('sha1', SECRET).update(`POST ${url} ${at}\n${BODY}`).digest('base64');
  const headers = { 'x-partner-timestamp': at, 'x-sig': `s=${signature}` };
  expect(await post(url, { headers })).not.toBe(401);
  expect(await post(`${cli.url}/signed?a=A`, { headers })).toBe(401);
  expect(await post(url, { headers: { ...headers, 'x-partner-timestamp': `0${at}` } })).toBe(401);

  const shown = [
    cli.terminal.written.out,
    cli.terminal.written.err,
    (await cli.run('events', 'list', '--json')).out,
    (await cli.run('events', 'show', '1', '--json', '--unmask')).out,
    (await cli.run('quarantine', 'list', '--json')).out,
  ];
  for (const text of shown) for (const secret of [SECRET, signature]) expect(text).not.toContain(secret);
});

test('an error of a function is in the log, masked, and the sender gets a fixed sentence', async () => {
  const handlers = {
    partner: `import { defineKind, defineSource, z } from 'portaria';
      export default defineSource('partner', {
        envelope: { type: 'type', data: 'data' },
        async verify({ headers }) {
          if (headers['x-id'] === 'none') return 0;
          if (headers['x-id'] !== undefined) return { messageId: headers['x-id'] };
          throw new Error('no account 529.982.247-25 here');
        },
        kinds: [defineKind('charge.created', { schema: z.object({ id: z.number() }) })],
      });`,
  };
  const cli = await serving({ PORTARIA_LOG_FORMAT: 'json' }, { handlers });
  const url = `${cli.url}/partner`;
  const response = await fetch(url, { method: 'POST', body: BODY });
  expect(response.status).toBe(401);
  expect(await response.text()).not.toContain('account');
  expect(cli.terminal.written.out + cli.terminal.written.err).toContain('no account <cpf> here');
  expect(await post(url, { headers: { 'x-id': 'none' } })).toBe(401);
  expect(await post(url, { headers: { 'x-id': 'm-1' } })).toBe(ACCEPTED);
  const { rows } = await cli.run('events', 'show', '1', '--json');
  expect(rows[0]).toMatchObject({ message_id: 'm-1' });
});

test('an id in a body that the sender does not sign is stored, and decides nothing', async () => {
  const sources = { pago: { verify: 'mercado-pago', secrets: [SECRET], messageId: 'id' } };
  const cli = await serving({
    PORTARIA_SOURCES: JSON.stringify({ ...sources, hub: { ...sources.pago, verify: 'github' } }),
  });
  const body = BODY.replace('{', '{"id":"m-1",');
  const at = Math.floor(cli.clock.now() / 1000);
  const pago = await senders['mercado-pago']?.send(SECRET as never, body, at);
  const hub = await senders['github']?.send(SECRET as never, body, at);
  expect(await post(`${cli.url}/pago`, pago ?? { headers: {} }, body)).not.toBe(401);
  expect(await post(`${cli.url}/hub`, hub ?? { headers: {} }, body)).not.toBe(401);
  const entries = await Promise.all(['q1', 'q2'].map((id) => cli.run('quarantine', 'show', id, '--json')));
  expect(entries.map(({ rows }) => rows[0])).toMatchObject([
    { source: 'pago', message_id: 'm-1', message_id_trusted: false },
    { source: 'hub', message_id: 'm-1', message_id_trusted: true },
  ]);
});
