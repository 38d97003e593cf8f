/** Adds, lists and removes webhook endpoints. */
import { setImmediate as nextTick } from 'node:timers/promises';
import { sql } from 'kysely';
import { PortariaError } from '../../src/kernel/errors.ts';
import type { Change } from '../change.ts';
import type { Provider } from '../provider.ts';

/** A webhook endpoint as an operator may see it, without its secret. */
export interface KnownEndpoint {
  readonly organization: string;
  readonly url: string;
  readonly signed: boolean;
  /** Number of webhooks sent in parallel. */
  readonly lanes: number;
  /** Webhooks that are still to be sent. */
  readonly waiting: number;
  /** Webhooks whose last attempt failed. */
  readonly dead: number;
  /** ISO 8601. */
  readonly created_at: string;
}

/** Lists the webhook endpoints of one organization, or of all of them, oldest first. */
export async function listEndpoints(
  { query }: Pick<Provider, 'query'>,
  organization?: number,
): Promise<readonly KnownEndpoint[]> {
  // By literals: SQLite does not use a partial index for a bound value.
  const count = (statuses: string) =>
    sql<number>`(select count(*) from webhook_deliveries d
      where d.endpoint_id = webhook_endpoints.id and d.status ${sql.raw(statuses)})`;
  const endpoints = query
    .selectFrom('webhook_endpoints')
    .innerJoin('organizations', 'organizations.id', 'webhook_endpoints.organization_id')
    .select([
      'organizations.name as organization',
      'url',
      'secret',
      'lanes',
      'webhook_endpoints.created_at',
      sql<number>`${count("= 'pending'")} + ${count("= 'aside'")}`.as('waiting'),
      count("= 'dead'").as('dead'),
    ])
    .orderBy('webhook_endpoints.id');
  const rows = await (
    organization === undefined ? endpoints : endpoints.where('organization_id', '=', organization)
  ).execute();
  return rows.map(({ organization: name, url, secret, lanes, waiting, dead, created_at }) => ({
    organization: name,
    url,
    signed: secret !== null,
    lanes,
    waiting,
    dead,
    created_at,
  }));
}

/** Deliveries deleted in one transaction, so that a running provider does not wait long for the database. */
const BATCH = 1_000;

/**
 * Removes an endpoint with its webhooks. Nothing more is sent to it, but for attempts in flight.
 *
 * @param options.discard whether webhooks that are still to be sent may be discarded.
 * @returns the number of webhooks that will not be sent.
 * @throws PortariaError `not-found` when the organization has no such endpoint; `invalid-argument` when webhooks
 *   wait and may not be discarded.
 */
export async function removeEndpoint(
  provider: Provider,
  organization: number,
  { url, discard }: { readonly url: string; readonly discard: boolean },
): Promise<{ readonly discarded: number }> {
  const { id, waiting } = await provider.change(organization, async ({ transaction }) => {
    const endpoint = await transaction
      .selectFrom('webhook_endpoints')
      .select('id')
      .where('organization_id', '=', organization)
      .where('url', '=', url)
      .executeTakeFirst();
    if (endpoint === undefined)
      throw new PortariaError(
        'not-found',
        `There is no endpoint ${url}: see portaria provider endpoints list`,
      );
    const found = await waitingOf(transaction, endpoint.id);
    if (found > 0 && !discard)
      throw new PortariaError(
        'invalid-argument',
        `${String(found)} webhooks are still to be sent to ${url}: wait for them, or add --discard`,
      );
    return { id: endpoint.id, waiting: found };
  });
  for (;;) {
    const deleted = await provider.change(organization, (change) => deleteSome(change, id));
    if (deleted < BATCH) break;
    await nextTick();
  }
  return { discarded: waiting };
}

async function waitingOf(transaction: Change['transaction'], endpoint: number): Promise<number> {
  const { rows } = await sql<{ waiting: number }>`
    select count(*) as waiting from webhook_deliveries
    where endpoint_id = ${endpoint} and status in ('pending', 'aside')`.execute(transaction);
  return rows[0]?.waiting ?? 0;
}

/** Deletes a batch of an endpoint's deliveries; with the last of them, the endpoint. @returns the size of the batch. */
async function deleteSome({ transaction, touched }: Change, endpoint: number): Promise<number> {
  const batch = await transaction
    .selectFrom('webhook_deliveries')
    .select(['id', 'event_id'])
    .where('endpoint_id', '=', endpoint)
    .limit(BATCH)
    .execute();
  await transaction
    .deleteFrom('webhook_deliveries')
    .where('id', 'in', listed(batch.map(({ id }) => id)))
    .execute();
  // An event has no use once its last delivery is gone.
  await transaction
    .deleteFrom('webhook_events')
    .where('id', 'in', listed(batch.map(({ event_id: id }) => id)))
    .where((each) =>
      each.not(
        each.exists(
          each.selectFrom('webhook_deliveries').select('id').whereRef('event_id', '=', 'webhook_events.id'),
        ),
      ),
    )
    .execute();
  if (batch.length < BATCH) {
    await transaction.deleteFrom('webhook_endpoints').where('id', '=', endpoint).execute();
    // The sender reads the endpoints again, and ends the lanes of this one.
    touched.add('webhooks aside');
  }
  return batch.length;
}

function listed(ids: readonly number[]) {
  return sql<number>`(select value from json_each(${JSON.stringify(ids)}))`;
}

/** A webhook endpoint to register. */
export interface NewEndpoint {
  readonly url: string;
  /** Signs the webhooks by Standard Webhooks (`whsec_<base64>`). */
  readonly secret?: string | undefined;
  /** Number of webhooks sent in parallel. 1 keeps all in order; more keep those of each record in order. */
  readonly lanes?: number | undefined;
}

/** Length of the prefix that keeps message ids unique across provider databases. */
const PREFIX_LENGTH = 8;

/**
 * Registers an endpoint for the webhooks of an organization. For a registered URL it
 * replaces the secret, if one is given, and changes nothing else.
 *
 * @throws PortariaError `invalid-argument` when the number of lanes differs from the
 *   registered one: deliveries that wait in a lane would be left behind.
 */
export async function addWebhookEndpoint(
  provider: Provider,
  organization: number,
  { url, secret, lanes }: NewEndpoint,
): Promise<void> {
  const prefix = provider.createSecret().slice(0, PREFIX_LENGTH);
  await provider.change(organization, async ({ transaction, at }) => {
    const known = await transaction
      .selectFrom('webhook_endpoints')
      .select(['id', 'lanes'])
      .where('organization_id', '=', organization)
      .where('url', '=', url)
      .executeTakeFirst();
    if (known === undefined)
      await transaction
        .insertInto('webhook_endpoints')
        .values({
          organization_id: organization,
          url,
          secret: secret ?? null,
          lanes: lanes ?? 1,
          message_prefix: prefix,
          created_at: at,
        })
        .execute();
    else if (lanes !== undefined && lanes !== known.lanes)
      throw new PortariaError(
        'invalid-argument',
        `${url} is registered with ${String(known.lanes)} lanes; the number cannot be changed`,
      );
    else if (secret !== undefined)
      await transaction.updateTable('webhook_endpoints').set({ secret }).where('id', '=', known.id).execute();
  });
}
