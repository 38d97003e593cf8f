/** Registers webhook endpoints. */
import { PortariaError } from '../../src/kernel/errors.ts';
import type { Provider } from '../provider.ts';

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
