import { PortariaError } from '../../src/kernel/errors.ts';
import type { Provider } from '../provider.ts';

export interface NewEndpoint {
  readonly url: string;
  /** Signs what is sent there by Standard Webhooks (`whsec_<base64>`). */
  readonly secret?: string | undefined;
  /** How many webhooks may be on their way at a time; 1 keeps all in order, more those of each record. */
  readonly lanes?: number | undefined;
}

/** Characters that make message ids unlike those of another installation. */
const PREFIX_LENGTH = 8;

/**
 * From now on the organization's webhooks are sent to `url` too. Adding it again
 * replaces its secret, if one is given, and changes nothing else.
 *
 * @throws PortariaError `invalid-argument` for another number of lanes: what waits in one would be left behind.
 */
export async function addWebhookEndpoint(
  provider: Provider,
  organization: number,
  { url, secret, lanes }: NewEndpoint,
): Promise<void> {
  const prefix = provider.drawSecret().slice(0, PREFIX_LENGTH);
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
        `${url} was added with ${String(known.lanes)} lanes, and keeps them`,
      );
    else if (secret !== undefined)
      await transaction.updateTable('webhook_endpoints').set({ secret }).where('id', '=', known.id).execute();
  });
}
