import type { Service } from '../service.ts';

/** From now on the organization's webhooks are sent to `url` too. Adding it twice changes nothing. */
export async function addWebhookEndpoint(service: Service, organization: number, url: string): Promise<void> {
  await service.change(organization, ({ transaction, at }) =>
    transaction
      .insertInto('webhook_endpoints')
      .values({ organization_id: organization, url, created_at: at })
      .onConflict((conflict) => conflict.doNothing())
      .execute(),
  );
}
