/** Puts the private port together: probes, operators' API and console. */
import { Hono, type Context, type Env } from 'hono';
import { createAuditor } from '../audit/auditor.ts';
import { createSignOn } from '../access/sign-on.ts';
import { handleError } from './errors.ts';
import { noStore } from './guards.ts';
import type { Erasures } from '../privacy/serve/erasures.ts';
import type { OpsDeps } from './ops-deps.ts';
import { liveness, readiness } from './probes.ts';

/** The private port. It shares no listener with the public one. */
export interface OpsApp extends Pick<Hono<Env>, 'fetch' | 'request'> {
  /**
   * Loads the operators' API and the console, once. Otherwise the first request that is no probe loads them,
   * and waits. Resolves after a failure too, which the requests show.
   */
  load(): Promise<unknown>;
  /** Writes what the audit has counted. Called before the store is closed. */
  close(): Promise<void>;
}

/** Responds to probes itself, and passes everything else to the console or the operators' API. */
export function createOpsApp(deps: OpsDeps): OpsApp {
  const auditor = createAuditor(deps);
  const settings = deps.singleSignOn ?? null;
  const tokens = { all: deps.token, view: deps.viewToken };
  const access = {
    signOn: createSignOn(settings),
    isOpen: deps.token === null && deps.viewToken === null && settings === null,
    auditor,
  };
  let loadingErasures: Promise<Erasures> | undefined;
  const loadErasures = () =>
    (loadingErasures ??= import('../privacy/serve/erasures.ts').then(({ createErasures }) =>
      createErasures({ ...deps, contract: deps.registry.contract, auditor }),
    ));

  let loading: Promise<Pick<Hono<Env>, 'fetch'>> | undefined;
  const load = () =>
    (loading ??= Promise.all([import('./operators-api.ts'), loadErasures()]).then(
      ([{ createOperatorsApi }, erasures]) => createOperatorsApi({ ...deps, ...access, tokens, erasures }),
    ));

  let loadingConsole: Promise<Pick<Hono<Env>, 'fetch'>> | undefined;
  const loadConsole = () =>
    (loadingConsole ??= Promise.all([import('../console/console-app.tsx'), loadErasures()]).then(
      ([{ createConsole }, erasures]) =>
        createConsole({
          ...deps,
          ...access,
          erasures,
          tokens: deps.tokenSignIn === false ? { all: null, view: null } : tokens,
        }),
    ));

  const app = new Hono<Env>();
  app.onError(handleError(deps.log));
  app.use(noStore);
  app.get('/', async (c, next) => {
    if (asksForPage(c)) return next();
    return c.text(indexPage(deps));
  });
  app.get('/healthz', (c) => c.json(liveness(deps)));
  app.get('/readyz', (c) => {
    const found = readiness(deps);
    return c.json(found, found.status === 'ready' ? 200 : 503);
  });
  app.all('*', async (c) => {
    const own = isConsolePath(c.req.path, asksForPage(c)) ? loadConsole() : load();
    return (await own).fetch(c.req.raw, c.env);
  });
  return {
    fetch: app.fetch,
    request: app.request,
    load: () => Promise.allSettled([load(), loadConsole()]),
    async close() {
      (await loadingErasures)?.stop();
      await auditor.close();
    },
  };
}

/** The paths of the console. Every other path of the private port belongs to the operators' API. */
const PATHS =
  /^\/(?:$|(?:assets|sign-in|sign-out|language|search|events|subjects|failures|quarantine|handlers|system|audit|privacy|plan|jobs|machines|contract|live|senders)(?:\/|$))/u;

/** Those of the operators' API, which a browser shows as they are. */
const API_PATHS = /^\/(?:api|metrics|openapi\.json)(?:\/|$)/u;

/** Whether the console responds to a path of the private port: a browser gets a page where nothing is, too. */
function isConsolePath(path: string, isPage: boolean): boolean {
  return PATHS.test(path) || (isPage && !API_PATHS.test(path));
}

/** Browsers ask for HTML, and programs such as curl do not. */
const asksForPage = ({ req }: Context): boolean => req.header('accept')?.includes('text/html') === true;

/** What the private port has, as a person finds it: each address, and what it shows. */
const addresses = [
  ['/', 'in a browser: the console'],
  ['/healthz', 'whether the process is alive'],
  ['/readyz', 'whether it accepts and delivers webhooks'],
  ['/metrics', 'metrics for Prometheus'],
  ['/openapi.json', 'every request of the API below, as OpenAPI 3.1'],
  ['/api/stats', 'counts of events, deliveries and quarantine entries'],
  ['/api/events', 'the log of events'],
  ['/api/deliveries', 'each event for each handler, and its outcome'],
  ['/api/quarantine', 'bodies that are malformed or do not match the contract'],
  ['/api/machines', 'the states of machines'],
  ['/api/handlers', 'the handlers of this process'],
  ['/api/dispatch', 'what runs now, and open breakers'],
  ['/api/audit', 'what operators did'],
] as const;

/** The text at `/`. It needs no token, so it holds nothing of this installation but its version. */
function indexPage({ version, token }: Pick<OpsDeps, 'version' | 'token'>): string {
  const width = Math.max(...addresses.map(([path]) => path.length));
  const access =
    token === null
      ? 'Requests must name localhost, 127.0.0.1 or [::1].'
      : 'All but /healthz and /readyz need Authorization: Bearer <PORTARIA_OPS_TOKEN>.';
  return [
    `Portaria ${version}, private port for operators`,
    '',
    ...addresses.map(([path, what]) => `${path.padEnd(width)}  ${what}`),
    '',
    access,
    '',
  ].join('\n');
}
