import { Hono, type Env } from 'hono';
import { answerError } from './answer-error.ts';
import { noStore } from './no-store.ts';
import type { OpsParts } from './ops-parts.ts';
import { liveness, readiness } from './probes.ts';

/** The private port. It shares no listener with the public one. */
export interface OpsApp extends Pick<Hono<Env>, 'fetch' | 'request'> {
  /**
   * Loads all that probes do not need, once. The first other request does it,
   * too, and is then answered later than those that follow.
   */
  load(): Promise<unknown>;
}

/** Answers probes at once, and hands everything else to the operators' API. */
export function createOpsApp(parts: OpsParts): OpsApp {
  let loading: Promise<Pick<Hono<Env>, 'fetch'>> | undefined;
  const load = () =>
    (loading ??= import('./operators-api.ts').then(({ createOperatorsApi }) => createOperatorsApi(parts)));

  const app = new Hono<Env>();
  app.onError(answerError(parts.log));
  app.use(noStore);
  app.get('/healthz', (c) => c.json(liveness(parts)));
  app.get('/readyz', (c) => {
    const found = readiness(parts);
    return c.json(found, found.status === 'ready' ? 200 : 503);
  });
  app.all('*', async (c) => (await load()).fetch(c.req.raw, c.env));
  return { fetch: app.fetch, request: app.request, load };
}
