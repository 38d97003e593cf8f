/** Custom kinds and a custom source, in the folder of handlers. */
import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { fixture } from '../support/webhooks/fixtures.ts';
import { eventually } from '../support/eventually.ts';
import { recording, createWorkspace, type Workspace } from '../support/workspace.ts';
import { portaria, rows, serve } from './kit/in-this-process.ts';

const SECRET = 'a-secret-of-the-shop-long-enough';

const kinds = `
import { defineKind, defineSource, z } from 'portaria';

export const archived = defineKind('company.archived', {
  schema: z.object({ id: z.int(), archived_at: z.string(), contact: z.string().nullish() }),
  subject: { family: 'company', id: (data) => data.id },
  version: (data) => data.archived_at,
  personal: ['contact'],
  example: { id: 7, archived_at: '2026-11-09T12:00:00Z', contact: 'Ana' },
});

export const ordered = defineKind('ordered', {
  schema: z.object({ id: z.string(), total: z.number(), buyer: z.string() }),
  personal: ['buyer'],
});

export default defineSource('shop', {
  envelope: { type: 'event.name', data: 'event.payload' },
  verify: { scheme: 'hmac', header: 'x-shop-signature', secretsFrom: 'SHOP_SECRETS' },
  kinds: [ordered],
});
`;

function writeHandlers(workspace: Workspace): void {
  workspace.writeHandler('kinds.ts', kinds);
  workspace.writeHandler(
    'handlers.ts',
    `${recording(workspace)}
    import { defineMachine } from 'portaria';
    import { archived, ordered } from './kinds.ts';
    export const typed = defineHandler({
      name: 'typed',
      on: ['company.created', archived, ordered],
      handle(event) {
        if (event.kind === 'company.archived') record('archived ' + event.data.archived_at);
        if (event.kind === 'ordered') record('ordered ' + event.data.total);
      },
    });
    export const orders = defineMachine({
      name: 'orders',
      on: ordered,
      initial: { total: 0 },
      evolve: (state, { data }) => ({ total: state.total + data.total }),
    });`,
  );
}

const environment = ({ database, handlers }: Workspace): Record<string, string> => ({
  PORTARIA_DATABASE: database,
  PORTARIA_HANDLERS: handlers,
  SHOP_SECRETS: SECRET,
});

test('custom kinds are received, handled, folded, masked, listed and replayed', async () => {
  const workspace = createWorkspace();
  writeHandlers(workspace);
  const env = environment(workspace);
  const running = await serve(env);
  const url = new URL(running.url);

  const sent = await portaria(['send', 'company.archived', '--url', running.url], env);
  expect(sent.out).toContain('"status":"accepted"');
  const shopUrl = new URL('/webhooks/shop', url).href;
  const body = JSON.stringify({
    event: { name: 'ordered', payload: { id: 'a-1', total: 12, buyer: 'Bia' } },
  });
  const signature = createHmac('sha256', SECRET).update(body).digest('hex');
  const response = await fetch(shopUrl, { method: 'POST', headers: { 'x-shop-signature': signature }, body });
  expect([response.status, await response.json()]).toMatchObject([202, { status: 'accepted' }]);
  const unsigned = await fetch(shopUrl, { method: 'POST', body });
  expect(unsigned.status).toBe(401);
  const generated = await portaria(['send', 'ordered', '--source', 'shop', '--url', shopUrl], env);
  expect(generated.out).toContain('"status":"accepted"');

  await eventually('the handlers have run', () => workspace.recorded().length === 3);
  expect(workspace.recorded().toSorted()).toEqual([
    'archived 2026-11-09T12:00:00Z',
    'ordered 1',
    'ordered 12',
  ]);
  const events = await rows(['events', 'list', '--kind', 'ordered', '--kind', 'company.archived'], env);
  expect(events.map(({ subject, recognized, source }) => [subject, recognized, source])).toEqual([
    [expect.stringMatching(/^ordered:/), true, 'shop'],
    ['ordered:a-1', true, 'shop'],
    ['company:7', true, 'default'],
  ]);
  const [, order] = events;
  expect((await rows(['events', 'show', String(order?.['id'])], env))[0]).toMatchObject({
    data: { id: 'a-1', total: 12, buyer: '***' },
    masked: true,
  });
  expect(await rows(['machines', 'show', 'orders', 'ordered:a-1'], env)).toMatchObject([
    { source: 'shop', state: { total: 12 } },
  ]);
  const timeline = await portaria(['subjects', 'show', 'ordered:a-1', '--json'], env);
  expect(timeline.out).toContain('a-1');

  const replayed = await portaria(['replay', '--kind', 'ordered', '--handler', 'typed', '--yes'], env);
  expect(replayed.code).toBe(0);
  await running.stop();
  expect(workspace.recorded().filter((line) => line === 'ordered 12')).toHaveLength(2);
});

test('the contract is printed with them, as JSON Schema and AsyncAPI', async () => {
  const workspace = createWorkspace();
  writeHandlers(workspace);
  const env = environment(workspace);
  const schema = JSON.parse((await portaria(['contract', '--kind', 'ordered'], env)).out) as object;
  expect(schema).toMatchObject({
    properties: {
      event: { properties: { name: { const: 'ordered' }, payload: { required: ['id', 'total', 'buyer'] } } },
    },
  });
  const { out } = await portaria(['contract', '--format', 'asyncapi'], env);
  const document = JSON.parse(out) as { channels: Record<string, unknown> };
  expect(Object.keys(document.channels)).toEqual(['webhooks', 'shop']);
  expect(out).toContain('"company.archived"');
});

test('a start with mistakes names all of them, each with its file and its remedy', async () => {
  const workspace = createWorkspace();
  workspace.writeHandler(
    'kinds.ts',
    `import { defineKind, defineSource, z } from 'portaria';
    const schema = z.object({ id: z.int(), contact: z.string() });
    export const one = defineKind('company.archived', { schema, personal: ['contakt'] });
    export const two = defineKind('company.archived', { schema, example: { id: 'x' } as never });
    export const shop = defineSource('shop', { envelope: { type: 'a', data: 'b' }, kinds: [defineKind('a', { schema })] });`,
  );
  workspace.writeHandler(
    'z-bad.ts',
    `import { defineKind } from 'portaria';
    export default defineKind('bad\\n', { subjekt: {}, schema: 7, version: 'x', subject: { family: 'a:b' } } as never);`,
  );
  const first = await portaria(['serve'], environment(workspace));
  expect(first.code).not.toBe(0);
  for (const mistake of [
    'control characters',
    'did you mean subject',
    'schema: is 7',
    'version: is "x"',
    'subject.family: is "a:b"',
  ])
    expect(first.err + first.out).toContain(mistake);

  workspace.writeHandler('z-bad.ts', 'export { one } from "./kinds.ts";');
  const second = await portaria(['serve'], environment(workspace));
  for (const mistake of [
    'did you mean "contact"?',
    'is also defined in',
    'example does not match: example.id',
  ])
    expect(second.err + second.out).toContain(mistake);

  // A process loads a file once, so the last start has a folder of its own.
  const other = createWorkspace();
  other.writeHandler(
    'kinds.ts',
    `import { defineKind, defineSource, z } from 'portaria';
    export const one = defineKind('a', { schema: z.object({}) });
    export const shop = defineSource('shop', { envelope: { type: 'a', data: 'b' }, kinds: [one] });`,
  );
  const third = await portaria(['serve'], environment(other));
  expect(third.err + third.out).toMatch(/source .?"shop.?" has no verification: add verify to defineSource/);
});

test('what is held is released by the contract as it stands now, or by force', async () => {
  const workspace = createWorkspace();
  writeHandlers(workspace);
  const env = environment(workspace);
  const strict = await serve({ ...env, PORTARIA_ON_UNKNOWN_VALUE: 'quarantine' });
  const { type, data } = fixture('antt-violation.updated');
  expect((await strict.post({ type, data: { ...data, status: 'sold' } })).status).toBe(422);
  expect((await strict.post({ type, data: { ...data, id: 'x' } })).status).toBe(422);
  await strict.stop();
  const held = await rows(['quarantine', 'list'], env);
  expect(held.map(({ issues }) => issues)).toMatchObject([
    [{ path: 'data.id' }],
    [{ path: 'data.status', message: expect.stringMatching(/received "sold"$/) as string }],
  ]);

  workspace.writeHandler(
    'patch.ts',
    `import { defineKind, openEnum, z } from 'portaria';
    export default defineKind('antt-violation.updated', {
      schema: z.object({ status: openEnum(['pending', 'sold']) }),
    });`,
  );
  const quarantining = { ...env, PORTARIA_ON_UNKNOWN_VALUE: 'quarantine' };
  const released = await rows(['quarantine', 'release'], quarantining);
  expect(released.map(({ outcome }) => outcome)).toEqual(['released', 'held']);
  expect((await portaria(['quarantine', 'release', '--force'], env)).err).toContain(
    '--force needs the entries',
  );
  expect((await rows(['quarantine', 'release', 'q2', '--force'], env))[0]).toMatchObject({
    outcome: 'released',
  });
  const events = await rows(['events', 'list'], env);
  expect(events.map(({ flags, recognized }) => [flags, recognized])).toEqual([
    [['unrecognized', 'unverified', 'released'], false],
    [['unverified', 'released'], true],
  ]);
});

test('an unknown value is accepted and shown, and masked only where the field is personal', async () => {
  const workspace = createWorkspace();
  writeHandlers(workspace);
  const env = environment(workspace);
  const running = await serve(env);
  const { type, data } = fixture('antt-violation.updated');
  expect((await running.post({ type, data: { ...data, status: 'sold' } })).status).toBe(202);
  const [event] = await rows(['events', 'list', '--flag', 'unknown-value'], env);
  expect(event).toMatchObject({ recognized: true, flags: ['unknown-value'] });
  const [detail] = await rows(['events', 'show', String(event?.['id'])], env);
  expect(detail).toMatchObject({ unknown_values: [{ path: 'data.status', value: 'sold' }] });
  const shown = await portaria(['events', 'show', String(event?.['id'])], env);
  expect(shown.out).toContain('data.status: "sold"');
});
