import { onTestFinished } from 'vitest';
import { createProviderApp } from '../../http/provider-app.ts';
import { openProviderDatabase } from '../../database/open-provider-database.ts';
import { openProvider } from '../../open-provider.ts';
import { createApiKey } from '../../organizations/api-key.ts';
import { findOrCreateOrganization } from '../../organizations/organization.ts';
import { addWebhookEndpoint } from '../../webhooks/manage-endpoints.ts';
import { widgetsOf } from '../../widget/widgets.ts';
import { manualClock } from '../../../src/testing/manual-clock.ts';
import { seededRandom } from '../../../src/kernel/random.ts';
import { testContext } from '../../../src/testing/test-context.ts';

/** Tuesday, 2026-03-10, 09:00 in Brazil. */
export const NOW = '2026-03-10T12:00:00.000Z';
export const TODAY = '2026-03-10';

export type Json = Readonly<Record<string, unknown>>;

export interface ProviderResponse {
  readonly status: number;
  /** The whole body; an empty object when there is none. */
  readonly body: Json;
  /** `data` of the body, if it is one record. */
  readonly data: Json;
  /** `data` of the body, if it is a list. */
  readonly rows: readonly Json[];
}

/** A client with the key of one organization. */
export interface Client {
  readonly organization: number;
  readonly key: string;
  /** The uid of the organization's widget. */
  readonly widget: string;
  get(path: string): Promise<ProviderResponse>;
  post(path: string, body?: unknown): Promise<ProviderResponse>;
  put(path: string, body: unknown): Promise<ProviderResponse>;
  remove(path: string, body?: unknown): Promise<ProviderResponse>;
  request(method: string, path: string, body?: unknown): Promise<ProviderResponse>;
  /** The webhooks of the organization so far, in the order in which they are sent. */
  webhooks(): Promise<readonly { readonly type: string; readonly data: Json }[]>;
}

let migrated: Buffer | undefined;

/** The bytes of a provider without records. Creating its tables takes longer than most requests. */
function emptyProvider(): Buffer {
  if (migrated === undefined) {
    const { sqlite } = openProviderDatabase(':memory:');
    migrated = sqlite.serialize();
    sqlite.close();
  }
  return migrated;
}

/** Opens a provider in memory with a manual clock and two organizations, `ours` and `theirs`. */
export async function openTestProvider() {
  const clock = manualClock(NOW);
  const { log, logged } = testContext();
  let drawn = 0;
  const provider = openProvider({
    path: emptyProvider(),
    clock,
    random: seededRandom(7),
    createSecret: () =>
      `secret-of-sixteen-and-more-${String((drawn += 1)).padStart(5, '0')}`.split('').reverse().join(''),
    baseUrl: () => 'http://provider.example',
  });
  onTestFinished(() => provider.close());
  const app = createProviderApp(provider, { log, version: '0.0.0' });

  async function client(name: string): Promise<Client> {
    const organization = await findOrCreateOrganization(provider, name);
    const key = await createApiKey(provider, organization);
    await addWebhookEndpoint(provider, organization, { url: `http://receiver.example/${name}` });
    const [widget = ''] = await widgetsOf(provider, organization);

    async function request(method: string, path: string, body?: unknown): Promise<ProviderResponse> {
      const response = await app.request(path, {
        method,
        headers: { 'x-api-key': key, ...(body !== undefined && { 'content-type': 'application/json' }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return readResponse(response);
    }

    return {
      organization,
      key,
      widget,
      request,
      get: (path) => request('GET', path),
      post: (path, body) => request('POST', path, body),
      put: (path, body) => request('PUT', path, body),
      remove: (path, body) => request('DELETE', path, body),
      async webhooks() {
        const rows = await provider.query
          .selectFrom('webhook_deliveries')
          .innerJoin('webhook_events', 'webhook_events.id', 'webhook_deliveries.event_id')
          .select('webhook_events.body')
          .where('webhook_deliveries.organization_id', '=', organization)
          .orderBy('webhook_deliveries.id')
          .execute();
        return rows.map(({ body }) => JSON.parse(body) as { type: string; data: Json });
      },
    };
  }

  /** Returns every row that belongs to an organization. */
  async function sqliteDump(organization: number): Promise<unknown> {
    const tables = provider.sqlite
      .prepare<[], string>(
        `select m.name from sqlite_schema m join pragma_table_info(m.name) c where m.type = 'table' and c.name = 'organization_id'`,
      )
      .pluck()
      .all();
    return Object.fromEntries(
      tables.map((table) => [
        table,
        provider.sqlite.prepare(`select * from ${table} where organization_id = ?`).all(organization),
      ]),
    );
  }

  return {
    provider,
    app,
    clock,
    log,
    logged,
    sqliteDump,
    ours: await client('Ours'),
    theirs: await client('Theirs'),
  };
}

export async function readResponse(response: Response): Promise<ProviderResponse> {
  const text = await response.text();
  const body = (text === '' ? {} : JSON.parse(text)) as Json;
  const { data } = body;
  return {
    status: response.status,
    body,
    data: (typeof data === 'object' && data !== null ? data : {}) as Json,
    rows: Array.isArray(data) ? (data as Json[]) : [],
  };
}

/** Sets the login of a record to connected, as the scenario does. */
export async function loggedIn(
  { provider }: Awaited<ReturnType<typeof openTestProvider>>,
  kind: 'company' | 'user',
  id: unknown,
): Promise<void> {
  await provider.query
    .updateTable('logins')
    .set({ status: 'success', connected: 1, connected_at: NOW, step: 'completed' })
    .where('owner_kind', '=', kind)
    .where('owner_id', '=', Number(id))
    .execute();
}
