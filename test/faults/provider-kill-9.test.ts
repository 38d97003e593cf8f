/**
 * `kill -9` of the provider under load, repeatedly: the provider sends a webhook for every
 * committed change at least once, and the webhooks of a record in order.
 */
import BetterSqlite3 from 'better-sqlite3';
import { expect, test } from 'vitest';
import { cnpjs } from '../../provider/test/kit/people.ts';
import { startReceiver } from '../../provider/test/kit/webhook-receiver.ts';
import { eventually } from '../support/eventually.ts';
import { portaria } from '../support/running-portaria.ts';
import { runProvider } from '../support/running-provider.ts';
import { createWorkspace } from '../support/workspace.ts';
import { printFigures } from './kit/figures.ts';
import { draws, seedOfRun } from './kit/seed.ts';
import { wholeNumber } from './kit/whole-number.ts';

const ROUNDS = wholeNumber('FAULTS_ROUNDS', 3);

interface Renaming {
  readonly company: number;
  readonly name: string;
}

const renamingIn = (body: string): Renaming => {
  const { data } = JSON.parse(body) as { data: { id: number; name: string } };
  return { company: data.id, name: data.name };
};

/** Renames a company, each time after the last response, until the provider stops responding. */
async function renameOnAndOn(
  url: string,
  key: string,
  { company, onChanged }: { readonly company: number; readonly onChanged: (name: string) => void },
): Promise<void> {
  for (let count = 1; ; count += 1) {
    const name = `${url} ${String(count)}`;
    const response = await fetch(`${url}/v1/companies/${String(company)}`, {
      method: 'PUT',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({ name }),
    }).catch(() => undefined);
    if (response === undefined) return;
    expect(response.status).toBe(200);
    onChanged(name);
  }
}

test('kill -9 of the provider loses no webhook and disorders none of a record', async () => {
  const seed = seedOfRun();
  const { between } = draws(seed);
  const file = createWorkspace().database;
  const receiver = await startReceiver();
  const command = (...args: readonly string[]) => portaria(['--database', file, 'provider', ...args], {});
  const key = (await command('keys', 'create', 'A')).out.trim();
  await command('endpoints', 'add', receiver.url, '--lanes', '4');
  const acknowledged = new Map<number, string[]>();

  for (let round = 0; round < ROUNDS; round += 1) {
    const running = await runProvider(file);
    if (round === 0)
      for (const tax_id of cnpjs) {
        const added = await fetch(`${running.url}/v1/companies`, {
          method: 'POST',
          headers: { 'x-api-key': key, 'content-type': 'application/json' },
          body: JSON.stringify({ name: 'new', tax_id }),
        });
        const { data } = (await added.json()) as { data: { id: number } };
        acknowledged.set(data.id, ['new']);
      }
    let [changes, most] = [0, between(20, 400)];
    const renaming = [...acknowledged].map(([company, names]) =>
      renameOnAndOn(running.url, key, {
        company,
        onChanged(name) {
          names.push(name);
          changes += 1;
          if (changes === most) running.kill('SIGKILL');
        },
      }),
    );
    await Promise.all([...renaming, running.ended]);
  }

  const last = await runProvider(file);
  const store = new BetterSqlite3(file, { readonly: true });
  const waiting = store
    .prepare("select count(*) from webhook_deliveries where status <> 'delivered'")
    .pluck();
  await eventually('all is delivered', () => waiting.get() === 0);
  last.kill('SIGTERM');
  expect(await last.ended).toMatchObject({ code: 0 });

  const committed = store
    .prepare<[], string>('select body from webhook_events order by id')
    .pluck()
    .all()
    .map(renamingIn);
  expect(store.pragma('integrity_check', { simple: true })).toBe('ok');
  store.close();
  const received = receiver.received.map(({ body }) => renamingIn(body));
  printFigures('kill -9 of the provider', {
    seed,
    rounds: ROUNDS,
    acknowledged: [...acknowledged.values()].flat().length,
    committed: committed.length,
    received: received.length,
    'received-again': received.length - committed.length,
  });
  for (const [company, names] of acknowledged) {
    const namesOf = (all: readonly Renaming[]) =>
      all.filter((renaming) => renaming.company === company).map(({ name }) => name);
    const committedNames = namesOf(committed);
    // Every acknowledged name is committed, and every committed name arrives.
    expect(committedNames.filter((name) => names.includes(name))).toEqual(names);
    expect([...new Set(namesOf(received))]).toEqual(committedNames);
  }
});
