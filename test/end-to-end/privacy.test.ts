/** A person is erased beside a running serve: nothing of the person is left in any byte of the files. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { statisticsOf } from '../faults/kit/statistics.ts';
import { eventually } from '../support/eventually.ts';
import { portaria, rows, serve } from '../support/running-portaria.ts';
import { createWorkspace, recording, type Workspace } from '../support/workspace.ts';

const CPF = '12345678909';
const NAME = 'Ana de Souza Prado';

const indication = (id: number, cpf: string, name: string) => ({
  type: 'traffic-violation.indication.updated',
  data: {
    id,
    status: 'pending',
    tax_id: cpf,
    name,
    email: `${name.split(' ')[0]!}@example.com`,
    phone: '11987654321',
    vars: { condutor: name },
    updated_at: `2026-11-20T10:00:${String(id % 60).padStart(2, '0')}Z`,
  },
});

/** Everything that can hold the CPF: formatted, as a number, in a text, in an unknown kind, in a broken body. */
const webhooks: readonly unknown[] = [
  indication(1, CPF, NAME),
  indication(2, '98765432100', 'Bruno Lima'),
  { type: 'user.login.started', data: { id: 77, uid: CPF, connected: false, step: null, attempt: 1 } },
  { type: 'driver.audited', data: { id: 5, cpf: Number(CPF), nome: NAME } },
  {
    type: 'traffic-violation.created',
    data: {
      id: 6,
      status: 'pending',
      description: `condutor 123.456.789-09`,
      location: 'Rua A, 1',
      user: { id: 77 },
    },
  },
  { type: 'traffic-violation.indication.updated', data: { tax_id: CPF, name: NAME } },
];

/** A machine that keeps names, a handler that quotes payloads in errors, and one that holds a payload in memory. */
const handlers = (workspace: Workspace) => `import { defineMachine } from 'portaria';
${recording(workspace)}
  export const quotes = defineHandler({
    name: 'quotes',
    on: '*',
    retry: { attempts: 1 },
    handle({ data }) {
      throw new Error('no driver ' + JSON.stringify(data));
    },
  });
  export const waits = defineHandler({
    name: 'waits',
    on: 'traffic-violation.indication.*',
    retry: { attempts: 1 },
    async handle({ data }, { signal }) {
      const { name } = data;
      record('holds ' + data.id);
      await opened('gate', signal);
      throw new Error('late: ' + name + ', ' + data.tax_id);
    },
  });
  export const names = defineMachine({
    name: 'names',
    on: 'traffic-violation.indication.*',
    initial: { seen: [] },
    evolve: (state, { data }) => ({ seen: [...state.seen, { nome: data.name, documento: data.tax_id }] }),
  });`;

function bytesOf({ database }: Workspace): string {
  return ['', '-wal', '-shm']
    .map((suffix) => `${database}${suffix}`)
    .filter((file) => existsSync(file))
    .map((file) => readFileSync(file, 'latin1'))
    .join('\n');
}

test('an erasure beside a running serve leaves no form of the CPF in the files, whatever handlers still hold', async () => {
  const workspace = createWorkspace();
  workspace.writeHandler('handlers.ts', handlers(workspace));
  const env = workspace.settings;
  const running = await serve(env);
  for (const webhook of webhooks) await running.post(webhook);
  await eventually('the handlers hold and have quoted the payloads', async () => {
    const { deliveries } = await statisticsOf(running);
    return (
      deliveries.dead >= 5 &&
      workspace.recorded().includes('holds 1') &&
      workspace.recorded().includes('holds 2')
    );
  });
  expect(bytesOf(workspace)).toContain(NAME);

  const receiptFile = join(workspace.folder, 'receipt.json');
  const erasing = portaria(
    ['privacy', 'erase', 'user:77', '--yes', '--reason', 'request 17', '--receipt', receiptFile, '--json'],
    env,
  );
  await eventually('the events are erased', async () => {
    const response = await fetch(new URL('/api/events?flag=erased', running.operators));
    const { data } = (await response.json()) as { readonly data: readonly unknown[] };
    return data.length === 4;
  });
  const ledger = await fetch(new URL('/api/erasures', running.operators));
  expect(await ledger.json()).toMatchObject({
    data: [{ id: 'x1', state: 'erasing', running_in: expect.stringMatching(/:\d+$/u) as string }],
  });
  const second = await portaria(['privacy', 'erase', 'user:78', '--yes', '--reason', 'request 18'], env);
  expect(second).toMatchObject({
    code: 7,
    err: expect.stringContaining('Another erasure runs in the process ') as string,
  });
  workspace.open('gate');
  const { code, out, err } = await erasing;
  expect(err).not.toContain('not finished');
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({
    hits: 0,
    rows_left: 0,
    log_emptied: true,
    erased_rows: { event: 4, quarantine: 1, state: 1 },
  });

  const repeats = await Promise.all(webhooks.map((webhook) => running.post(webhook)));
  expect(repeats.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 422]);
  const bytes = bytesOf(workspace);
  for (const form of [/123.?456.?789.?09/, /Ana de Souza/i, /Ana@example/i, /Rua A, 1/])
    expect(bytes).not.toMatch(form);
  expect(bytes).toContain('Bruno Lima');
  expect(await rows(['privacy', 'verify', receiptFile], env)).toMatchObject([{ valid: true }]);
  expect(await rows(['privacy', 'find', CPF, 'user:77'], env)).toEqual([]);
  running.kill('SIGTERM');
  expect(await running.ended).toMatchObject({ code: 0 });
});
