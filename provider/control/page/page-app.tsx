/** The pages of `/control`. */
import { randomBytes } from 'node:crypto';
import { Hono, type Context } from 'hono';
import type { JSX } from 'hono/jsx/jsx-runtime';
import { loadAssets, type Assets } from '../../../src/pages/assets.ts';
import {
  createFormTokens,
  FormRejection,
  requireForm,
  securityHeaders,
  type FormTokens,
  type PageEnv,
} from '../../../src/pages/form-guard.ts';
import { formatOf } from '../../../src/pages/language/format.ts';
import { pageWords } from '../../../src/pages/language/page-words.ts';
import { ownAddress } from '../../../src/pages/own-address.ts';
import { browserHeadersOf } from '../../../src/kernel/http/browser-guard.ts';
import type { Logger } from '../../../src/kernel/logger.ts';
import { createSigner } from '../../../src/kernel/signed-token.ts';
import { HttpError } from '../../http/http-error.ts';
import type { ControlDeps } from '../control.ts';
import { overviewPage } from './clock-and-chaos.tsx';
import { ControlFrame, paths, type ControlPageName, type ControlView } from './control-frame.tsx';
import { deliveriesPage } from './deliveries.tsx';
import { documentsPage } from './documents.tsx';
import { loginsPage } from './logins.tsx';
import { slipsPage } from './slips.tsx';
import { useControl } from './use-control.ts';

type PageContext = Context<PageEnv>;

/** Whoever reaches the page works on this machine: `loopbackOnly` has checked it. */
const visitor = { session: 'provider' };

const pages: Readonly<
  Record<ControlPageName, (view: ControlView, deps: ControlDeps) => Promise<JSX.Element>>
> = {
  overview: overviewPage,
  deliveries: deliveriesPage,
  logins: loginsPage,
  slips: slipsPage,
  documents: documentsPage,
};

export interface ControlPageDeps extends ControlDeps {
  /** Base of the receiver's console, without a slash at the end; null when it is not known. */
  readonly console: string | null;
  readonly log: Logger;
  /** Responds to a control as the JSON API does. */
  respond(this: void, request: Request, c: Context): Promise<Response>;
}

/**
 * Creates the pages of `/control`. Links and forms do everything; each form becomes a request to one of the
 * controls, so that pages and JSON API check and do the same.
 */
export async function createControlPage(deps: ControlPageDeps): Promise<Hono<PageEnv>> {
  const assets = await loadAssets();
  // A restart ends the forms that were rendered before it.
  const tokens = createFormTokens(createSigner(randomBytes(32), 'portaria provider'));
  const viewOf = createViewOf(deps, assets, tokens);

  const show = async (name: ControlPageName, url: URL, notice: ControlView['notice']) =>
    pages[name](viewOf(url, notice), deps);

  const app = new Hono<PageEnv>({ strict: false });
  app.use(securityHeaders);
  app.onError((error, c) => {
    const view = viewOf(new URL(c.req.url), null);
    const { errors } = view.page.words;
    if (error instanceof FormRejection)
      return c.html(<Message view={view} title={errors.stale} text={errors.staleWhy} />, error.status);
    if (error instanceof HttpError)
      return c.html(<Message view={view} title={errors.failed} text={error.message} />, error.status);
    deps.log.error({ route: c.req.path, err: error }, 'The page of the provider failed');
    return c.html(<Message view={view} title={errors.failed} text="" />, 500);
  });
  app.notFound((c) => {
    const view = viewOf(new URL(c.req.url), null);
    return c.html(<Message view={view} title="There is no such page" text={c.req.path} />, 404);
  });
  app.get('/control/assets/:version/:name', (c) => assets.respond(c, c.req.param('name')) ?? c.notFound());

  app.use(async (c, next) => {
    c.set('visitor', visitor);
    await next();
    c.header('cache-control', 'no-store');
  });
  app.use(
    requireForm({
      tokens,
      clock: deps.provider.machine,
      browserHeaders: (c) => browserHeadersOf(c.req.raw),
    }),
  );

  for (const name of Object.keys(paths) as ControlPageName[])
    // A request's path has no trailing slash here.
    app.get(paths[name].replace(/\/$/u, ''), async (c) => {
      const url = new URL(c.req.url);
      const done = url.searchParams.get('done');
      const notice = done === null ? null : ({ tone: 'ok', text: doneText(done, url) } as const);
      return c.html(await show(name, url, notice));
    });

  app.post('/control/do/*', async (c) => {
    const url = backOf(c);
    const result = await useControl(c, deps.respond);
    if (result.problem === null) {
      url.searchParams.set('done', result.done);
      if (result.count !== null) url.searchParams.set('count', String(result.count));
      return c.redirect(`${url.pathname}${url.search}`, 303);
    }
    const name = nameOf(url) ?? 'overview';
    const text = `It was not done: ${result.problem}`;
    return c.html(await show(name, url, { tone: 'bad', text }), result.status);
  });
  return app;
}

/** What the last form did, as {@link useControl} counts it. */
function doneText(done: string, { searchParams }: URL): string {
  const count = Number(searchParams.get('count') ?? 0);
  if (done === 'advanced')
    return `The clock was advanced; ${String(count)} scheduled ${count === 1 ? 'step' : 'steps'} ran on the way.`;
  if (done === 'resent')
    return `${String(count)} dead ${count === 1 ? 'webhook is' : 'webhooks are'} sent again.`;
  return 'Done. A change of a record is sent as a webhook.';
}

/** The page that a form was on, on this origin; the first page for anything else. */
function backOf(c: PageContext): URL {
  const url = new URL(ownAddress(c.get('fields').get('_back'), paths.overview), c.req.url);
  return nameOf(url) === undefined ? new URL(paths.overview, c.req.url) : url;
}

function nameOf({ pathname }: URL): ControlPageName | undefined {
  return (Object.keys(paths) as ControlPageName[]).find((name) => paths[name] === pathname);
}

function createViewOf(
  { provider, console }: ControlPageDeps,
  assets: Assets,
  tokens: FormTokens,
): (url: URL, notice: ControlView['notice']) => ControlView {
  const own: Assets = { ...assets, url: (name) => `/control${assets.url(name)}` };
  return (url, notice) => {
    return {
      console,
      notice,
      page: {
        words: pageWords.en,
        format: formatOf('en'),
        language: 'en',
        formToken: tokens.form(visitor, provider.machine.now()),
        url,
        now: provider.clock.now(),
        assets: own,
      },
    };
  };
}

function Message({ view, title, text }: { view: ControlView; title: string; text: string }) {
  return (
    <ControlFrame view={view} current={null} title={title}>
      <h1>{title}</h1>
      <p>{text}</p>
    </ControlFrame>
  );
}
