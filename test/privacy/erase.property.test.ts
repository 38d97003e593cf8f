/** An erasure of any person from any store, compared row by row. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { extendContract } from '../../src/handle/kinds/extend-contract.ts';
import { defineKind } from '../../src/handle/kinds/kind-definition.ts';
import { defineSource } from '../../src/handle/kinds/source-definition.ts';
import { createIdentify } from '../../src/identify/identify.ts';
import { createParse } from '../../src/parse/parse.ts';
import { erasePerson } from '../../src/privacy/erase-person.ts';
import { parseIdentifier } from '../../src/privacy/identifier.ts';
import { openSqliteStore } from '../../src/store/sqlite/open-sqlite-store.ts';
import type { Store } from '../../src/store/store.ts';
import { manualClock } from '../../src/testing/manual-clock.ts';
import { verifiedDelivery } from '../support/verified-delivery.ts';
import { cpfForms, phoneForms, someone, traces, type Someone } from './people.ts';
import { propertyRuns } from '../support/property-runs.ts';

const ordered = defineKind('ordered', {
  schema: z.object({
    id: z.string(),
    total: z.number(),
    cpf: z.union([z.string(), z.number()]).nullish(),
    buyer: z.string().nullish(),
  }),
  personal: ['cpf', 'buyer'],
});
const shop = defineSource('shop', {
  envelope: { type: 'event.name', data: 'event.payload' },
  kinds: [ordered],
});
const contract = extendContract({ kinds: [], sources: [{ definition: shop, file: 'shop.ts' }] });

const parse = createParse(contract);
const identify = createIdentify(contract, (id) => id);

const [ana, bruno, carla] = [someone(1), someone(2), someone(3)] as const;
const people = [ana, bruno, carla];

const person = fc.constantFrom(...people);
const cpf = (of: Someone) => fc.constantFrom(...cpfForms).map((form) => form(of.cpf));
const cpfText = (of: Someone) => fc.constantFrom(cpfForms[0]!, cpfForms[1]!).map((form) => form(of.cpf));
const phone = (of: Someone) => fc.constantFrom(...phoneForms).map((form) => form(of.phone));
const id = fc.integer({ min: 1, max: 6 });

const indication = fc
  .record({ driver: person, requester: person, id, extra: person, placed: fc.boolean() })
  .chain(({ driver, requester, id: number, extra, placed }) =>
    fc.tuple(phone(driver), cpf(extra)).map(([tel, other]) => ({
      type: 'traffic-violation.indication.created',
      data: {
        id: number,
        status: 'pending',
        tax_id: driver.cpf,
        name: driver.name,
        email: driver.email.toUpperCase(),
        phone: String(tel),
        license: driver.license,
        // Of each driver another one: a text of the person goes from all that was made of the subject's events, also
        // where another person has the same.
        vars: { condutor: driver.name, modelo: `proprietário ${String(people.indexOf(driver))}` },
        requester_email: requester.email,
        requester_phone: requester.phone,
        ...(placed && { observacao: { cpf: other, nome: extra.name } }),
      },
    })),
  );

const login = fc.record({ of: person, id, company: fc.boolean() }).map(({ of, id: number, company }) => ({
  type: company ? 'company.login.started' : 'user.login.started',
  data: {
    id: number + 100 * people.indexOf(of),
    uid: of.cpf,
    ...(company && { tax_id: '11222333000181' }),
    connected: false,
    step: null,
    attempt: 1,
  },
}));

const company = fc.record({ of: person, id }).map(({ of, id: number }) => ({
  type: 'company.updated',
  data: {
    id: number,
    tax_id: '11222333000181',
    login_username: of.cpf,
    address: { address: 'Rua da Sede, 1' },
    external_uid: 'e-1',
  },
}));

const violation = fc.record({ of: person, id }).chain(({ of, id: number }) =>
  cpf(of).map((form) => ({
    type: 'traffic-violation.created',
    data: {
      id: number,
      status: 'pending',
      description: `condutor ${String(form)} identificado`,
      amount: 130.1,
    },
  })),
);

const unknown = fc.record({ of: person, id }).chain(({ of, id: number }) =>
  fc.tuple(cpf(of), phone(of)).map(([document, tel]) => ({
    type: 'driver.audited',
    data: { id: number, nome: of.name, documento: { numero: document }, contato: { tel, mail: of.email } },
  })),
);

const unknownList = fc.record({ one: person, id }).chain(({ one, id: number }) => {
  const other = people[(people.indexOf(one) + 1) % people.length]!;
  return fc.tuple(cpfText(one), cpfText(other)).map(([first, second]) => ({
    type: 'fleet.listed',
    data: {
      id: number,
      frota: 'Norte',
      motoristas: [
        { cpf: first, nome: one.name, mail: one.email },
        { cpf: second, nome: other.name, mail: other.email },
      ],
    },
  }));
});

const invalid = person.chain((of) =>
  cpf(of).map((form) => ({
    type: 'traffic-violation.indication.updated',
    data: { status: 'pending', tax_id: form, name: of.name, email: of.email },
  })),
);

/** A webhook of a custom source. */
const order = fc.record({ of: person, by: person, id }).chain(({ of, by, id: number }) =>
  cpf(of).map((form) => ({
    event: {
      name: 'ordered',
      payload: { id: `o-${String(number)}`, total: 12.5, cpf: form, buyer: of.name },
    },
    meta: { by: by.email, note: 'order' },
  })),
);

const malformed = fc
  .tuple(person, fc.boolean())
  .map(([of, isText]) => `${isText ? '' : '{"a": '}${of.cpf} ${of.name}`);

const body = fc.oneof(
  fc
    .tuple(
      fc.oneof(indication, login, company, violation, unknown, unknownList, invalid, order),
      fc.constantFrom<number | undefined>(undefined, 2),
      fc.boolean(),
    )
    .map(([envelope, indent, escapes]) => {
      const json = JSON.stringify(envelope, null, indent);
      return escapes ? json.replaceAll('@', '\\u0040').replaceAll('ã', '\\u00e3') : json;
    }),
  malformed,
);

const webhook = fc.record({
  body,
  agent: fc.option(person),
  failing: fc.boolean(),
  message: fc.option(person),
});
type Webhook = typeof webhook extends fc.Arbitrary<infer T> ? T : never;

async function receive(store: Store, webhooks: readonly Webhook[]): Promise<void> {
  for (const [at, { body: text, agent, message }] of webhooks.entries()) {
    const delivery = verifiedDelivery(text, {
      source: /^\{\s*"event":/.test(text) ? 'shop' : 'default',
      headers: { 'user-agent': agent === null ? 'sender/1' : `sender for ${agent.email}` },
      messageId: message === null ? null : `m-${String(at)}-${message.cpf}`,
      messageIdTrusted: message !== null,
      receivedAt: 1_000 + at,
    });
    const parsed = parse(delivery);
    if (parsed.stage === 'rejected') await store.quarantine(parsed);
    else await store.accept(identify(parsed), [{ handler: 'h', order: 'none', stale: true }]);
  }
}

/** Ends every delivery: with an error that quotes the payload, or with a state that copies it. */
async function handle(store: Store): Promise<void> {
  const { deliveries } = await store.claim({ now: 2_000, limit: 100, handlers: ['h'] });
  for (const delivery of deliveries) {
    const { event } = delivery;
    const known = await store.machineState('copier', event.source, event.subject);
    const options = { now: 2_000, next: false };
    if (known === null && event.id.endsWith('1')) {
      const machine = {
        machine: 'copier',
        state: { latest: event.data, seen: [event.data] },
        version: null,
        lastEventId: event.id,
        revision: 0,
        anomalies: [{ eventId: event.id, message: `unexpected ${JSON.stringify(event.data)}` }],
        refolded: false,
        effects: [{ eventId: event.id, name: 'tell', change: { after: event.data }, late: false }],
      };
      await store.complete(delivery, { status: 'succeeded', machine }, options);
    } else {
      const reason = `cannot handle ${JSON.stringify(event.data)}`;
      await store.complete(delivery, { status: 'dead', reason }, options);
    }
  }
}

/** Every row of every table, as text. */
function rowsOf(file: string): ReadonlyMap<string, string> {
  const database = new BetterSqlite3(file, { readonly: true });
  try {
    const tables = database
      .prepare<[], string>("select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'")
      .pluck()
      .all();
    return new Map(
      tables.flatMap((table) =>
        database
          .prepare<[], Record<string, unknown>>(`select * from "${table}"`)
          .all()
          .map((row, at): [string, string] => [`${table} ${String(at)}`, textOf(row)]),
      ),
    );
  } finally {
    database.close();
  }
}

function textOf(row: Readonly<Record<string, unknown>>): string {
  return Object.entries(row)
    .filter(([name]) => !['erased', 'key', 'revision'].includes(name))
    .map(([name, value]) => {
      const isBody = value instanceof Uint8Array && name === 'body';
      return `${name}=${isBody ? Buffer.from(value).toString() : value instanceof Uint8Array ? Buffer.from(value).toString('hex') : String(value)}`;
    })
    .join('\n');
}

/** The bytes of the quarantine as the quota counts them, and as they are. */
function heldBytes(file: string): { readonly counted: number; readonly actual: number } {
  const database = new BetterSqlite3(file, { readonly: true });
  const sum = (table: string) =>
    database.prepare<[], number>(`select coalesce(sum(bytes), 0) from ${table}`).pluck().get() ?? 0;
  try {
    return { counted: sum('quarantine_counts'), actual: sum('quarantine') };
  } finally {
    database.close();
  }
}

/** JSON with its escapes resolved, so that no escaped letter hides a name. */
function readable(text: string): string {
  return text.replaceAll(/\\u([0-9a-f]{4})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

test('an erasure leaves no string of the person in any row, and every other row as it was', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(webhook, { minLength: 1, maxLength: 12 }), async (webhooks) => {
      const folder = mkdtempSync(join(tmpdir(), 'portaria-privacy-'));
      const file = join(folder, 'portaria.db');
      const clock = manualClock();
      const open = () =>
        openSqliteStore({
          path: file,
          role: 'owner',
          clock,
          writer: 'local',
          random: () => 0,
          dataOf: contract.dataOf,
        });
      try {
        const store = await open();
        await receive(store, webhooks);
        await handle(store);
        await store.close();
        const before = rowsOf(file);

        const erasing = await open();
        const lock = { process: 'host:1', since: clock.now() };
        const identifiers = [ana.cpf, ana.email, `phone:${ana.phone}`].map(parseIdentifier);
        const { complete } = await erasePerson({ store: erasing, contract, clock, lock }, identifiers, {
          requestedBy: 'test',
          reason: 'a test',
        });
        const orders = await erasing.events({ source: 'shop' }, { order: 'oldest', limit: 100 });
        for (const one of await erasing.storedEvents(orders.map((event) => event.id)))
          expect(one).toMatchObject({ kind: 'ordered', data: { total: 12.5 } });
        await erasing.close();
        expect(complete).toBe(true);

        const after = rowsOf(file);
        for (const [key, row] of after) expect([key, traces(ana, readable(row))]).toEqual([key, []]);
        expect(heldBytes(file)).toEqual({ counted: heldBytes(file).actual, actual: heldBytes(file).actual });
        for (const [key, row] of before) {
          if (key.startsWith('quarantine_counts')) continue;
          const left = after.get(key) ?? '';
          expect([key, traces(bruno, readable(left))]).toEqual([key, traces(bruno, readable(row))]);
          if (traces(ana, readable(row)).length === 0) expect([key, after.get(key)]).toEqual([key, row]);
        }
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    }),
    { numRuns: propertyRuns(40) },
  );
});
