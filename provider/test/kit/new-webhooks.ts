import type { Client } from './test-provider.ts';

type Webhooks = Awaited<ReturnType<Client['webhooks']>>;

/** Returns a function that returns the organization's webhooks since its last call. */
export function newWebhooksOf(
  client: Client,
  isIncluded: (webhook: Webhooks[number]) => boolean = () => true,
): () => Promise<Webhooks> {
  let seen = 0;
  return async () => {
    const all = (await client.webhooks()).filter(isIncluded);
    const added = all.slice(seen);
    seen = all.length;
    return added;
  };
}
