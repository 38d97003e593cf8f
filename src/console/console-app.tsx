/** The console: guards, pages and error pages. */
import { Hono } from 'hono';
import type { Child } from 'hono/jsx';
import { asksUnmasked, createRequestAudit } from '../access/audited-request.ts';
import type { Contract } from '../contract/contract.ts';
import { PortariaError } from '../kernel/errors.ts';
import { scrub } from '../kernel/text/scrub.ts';
import { unsettledWebhooks } from '../operate/show/held-webhooks.ts';
import { loadAssets, type Assets } from '../pages/assets.ts';
import type { ConsoleApp, ConsoleContext, ConsoleDeps, ConsoleEnv, PagesDeps } from './console-deps.ts';
import { addForm } from './forms.ts';
import { decodedPath } from './decoded-path.ts';
import { Document } from '../pages/document.tsx';
import { Frame } from './frame.tsx';
import { authenticate, ConsoleRejection, requireOwnReads } from './guards.ts';
import { FormRejection, requireForm, securityHeaders } from '../pages/form-guard.ts';
import { chooseLanguage, languageOf } from '../pages/language/choice.ts';
import { formatOf } from '../pages/language/format.ts';
import { english, portuguese } from './language/words.ts';
import { ownAddress } from '../pages/own-address.ts';
import { Refused } from './components/foreign-text.tsx';
import type { Page } from './page.ts';
import { addAuditPage } from './pages/audit.tsx';
import { addContractPages } from './pages/contract.tsx';
import { addCurlPage } from './pages/curl.tsx';
import { addErasurePages } from './pages/erasures.tsx';
import { addEventPages } from './pages/event.tsx';
import { addEventsFile } from './event-rows.ts';
import { addEventsPage, addSearch } from './pages/events.tsx';
import { addFailuresPages } from './pages/failures.tsx';
import { addJobPages } from './pages/jobs.tsx';
import { addPlanPages } from './pages/plan.tsx';
import { addHandlerPage } from './pages/handler.tsx';
import { addHandlersPage } from './pages/handlers.tsx';
import { addMachineSubjectPage } from './pages/machine-subject.tsx';
import { addMachinesPages } from './pages/machines.tsx';
import { addLivePage } from './pages/live.tsx';
import { addOverviewPage } from './pages/overview.tsx';
import { addPausePages } from './pages/pauses.tsx';
import { addPayloadPage } from './pages/payload.tsx';
import { addPrivacyPage } from './pages/privacy.tsx';
import { addQuarantinePages } from './pages/quarantine/list.tsx';
import { addSendersPage } from './pages/senders.tsx';
import { addSignInPage, addSignOut } from './pages/sign-in.tsx';
import { addSubjectPage } from './pages/subject.tsx';
import { addSystemPage } from './pages/system.tsx';
import { auditedConsole, startOperations } from './audited-forms.ts';
import { createSessions, type Sessions } from './session.ts';
import { createVisitorLimit } from './visitor-limit.ts';

/** Pages of whole payloads that are made at a time for visitors of one name. */
const HEAVY_PAGES = 2;

const languages = { en: english, 'pt-BR': portuguese };

/**
 * Builds the console: pages for operators, rendered on the server. Links and forms do everything, so it works
 * without JavaScript.
 */
export async function createConsole(deps: ConsoleDeps): Promise<ConsoleApp> {
  const assets = await loadAssets();
  const { storeId } = deps.store;
  const sessions = createSessions(deps.tokens, { storeId, key: await deps.store.erasureKey() });
  const pageOf = createPageOf(deps, assets, sessions);
  const pages: PagesDeps = { ...deps, pageOf, limitVisitor: createVisitorLimit(HEAVY_PAGES) };

  const audit = createRequestAudit(deps, auditedConsole);

  const app = new Hono<ConsoleEnv>();
  app.use(securityHeaders);
  app.use(audit.middleware);
  app.onError(async (error, c) => respondToError(error, c, pages));
  app.notFound((c) => respondToError(new PortariaError('not-found', ''), c, pages));

  app.get('/assets/:version/:name', (c) => assets.respond(c, c.req.param('name')) ?? c.notFound());
  addSignInPage(app, pages, sessions);

  app.use(authenticate(deps, sessions));
  app.use(requireOwnReads(deps));
  app.use(requireForm({ tokens: sessions, clock: deps.clock, browserHeaders: deps.signOn.browserHeaders }));
  app.use(async (c, next) => {
    await next();
    c.header('cache-control', 'no-store');
  });
  app.use(startOperations(audit));
  addSignOut(app, deps);
  addForm(app, '/language', { action: 'chooseLanguage', needs: ['view'] }, (c) => {
    chooseLanguage(c, c.get('fields'));
    return c.redirect(ownAddress(c.get('fields').get('back')), 303);
  });
  addSearch(app, pages);
  addOverviewPage(app, pages);
  addEventsPage(app, pages);
  addEventsFile(app, pages);
  addEventPages(app, pages);
  addPayloadPage(app, pages);
  addCurlPage(app, pages);
  addSubjectPage(app, pages);
  addFailuresPages(app, pages);
  addQuarantinePages(app, pages);
  addHandlersPage(app, pages);
  addHandlerPage(app, pages);
  addPausePages(app, pages);
  addSendersPage(app, pages);
  addSystemPage(app, pages);
  addAuditPage(app, pages);
  addPrivacyPage(app, pages);
  addErasurePages(app, pages);
  addPlanPages(app, pages);
  addJobPages(app, pages);
  addMachinesPages(app, pages);
  addMachineSubjectPage(app, pages);
  addContractPages(app, pages);
  addLivePage(app, pages);
  return app;
}

function createPageOf(
  { store, registry, clock }: Pick<ConsoleDeps, 'store' | 'registry' | 'clock'>,
  assets: Assets,
  sessions: Sessions,
): (c: ConsoleContext) => Promise<Page> {
  return async (c) => {
    const language = languageOf(c);
    // Absent on the sign-in page and on pages about a rejected request.
    const visitor = c.get('visitor') as Page['visitor'] | undefined;
    const now = clock.now();
    return {
      words: languages[language],
      format: formatOf(language),
      language,
      visitor: visitor ?? { name: '', kind: null, may: [], session: '', endsAt: null },
      formToken: visitor === undefined ? '' : sessions.form(visitor, now),
      url: new URL(c.req.url),
      now,
      assets,
      signedIn: visitor?.kind === 'token',
      counts: visitor === undefined ? null : await countsOf(store, registry.contract),
      contract: registry.contract,
      hasMachines: registry.definitions.some(({ type }) => type === 'machine'),
      unmask: visitor?.may.includes('unmask') === true && asksUnmasked(c),
    };
  };
}

/** Null while the store cannot be read: a page must say so. */
async function countsOf(store: ConsoleDeps['store'], contract: Contract): Promise<Page['counts']> {
  try {
    const { byHandler, quarantined, pauses } = await store.totals();
    return {
      failures: byHandler.reduce((sum, { dead }) => sum + dead, 0),
      quarantine: await unsettledWebhooks({ store, contract }, quarantined),
      handlers: pauses.length,
    };
  } catch {
    return null;
  }
}

async function respondToError(error: Error, c: ConsoleContext, deps: PagesDeps): Promise<Response> {
  if (error instanceof ConsoleRejection && error.reason === 'sign-in') {
    // A page that refreshes itself says that the session has ended, and stays.
    if (c.req.header('hx-request') !== undefined) return c.text('', 401);
    const { pathname, search } = new URL(c.req.url);
    const back = c.req.method === 'GET' ? `?back=${encodeURIComponent(pathname + search)}` : '';
    return c.redirect(`/sign-in${back}`, 303);
  }
  const page = await deps.pageOf(c);
  const { errors } = page.words;
  const show = (
    title: string,
    why: Child,
    status: 400 | 401 | 403 | 404 | 413 | 500 | 503,
  ): Response | Promise<Response> => {
    const content = (
      <>
        <h1>{title}</h1>
        <p>{why}</p>
        <p>
          <a href="/">{errors.back}</a>
        </p>
      </>
    );
    // Without a sign-in there is no navigation.
    const alone = (
      <Document page={page} title={title}>
        <main id="main" class="alone">
          {content}
        </main>
      </Document>
    );
    const framed = (
      <Frame page={page} current={null} title={title}>
        {content}
      </Frame>
    );
    return c.html(page.counts === null ? alone : framed, status);
  };
  if (error instanceof FormRejection) return show(errors.stale, errors.staleWhy, error.status);
  if (error instanceof ConsoleRejection) {
    const { reason, status } = error;
    const { signOn } = page.words;
    if (reason === 'view' || reason === 'operate' || reason === 'unmask') {
      const isNamed = page.visitor.kind === 'proxy';
      const why = isNamed ? signOn.forbidden(page.visitor.name, reason) : errors.forbiddenWhy[reason];
      return show(errors.forbidden, why, status);
    }
    if (reason !== 'sign-in')
      return show(signOn.refused, signOn.refusedWhy[reason](deps.signOn.header), status);
  }
  if (PortariaError.is(error, 'not-found'))
    return show(errors.notFound, notFoundWhy(page, error.message), 404);
  if (PortariaError.is(error, 'invalid-argument', 'erasure-refused'))
    return show(errors.failed, <Refused wrong={error} />, 400);
  deps.log.error(
    { path: scrub(decodedPath(c.req.path)), reason: scrub(`${error.name}: ${error.message}`) },
    'The console failed',
  );
  // The disk is full or busy: nothing was changed or shown, and the visitor can try again.
  const mayTryAgain = PortariaError.is(error, 'store-full', 'store-busy');
  return show(errors.failed, PortariaError.is(error) ? error.message : '', mayTryAgain ? 503 : 500);
}

/** Errors are written in English; another language names the address. */
function notFoundWhy({ words, language, url }: Page, message: string): string {
  const named = language === 'en' ? message : words.errors.notFoundNamed(decodedPath(url.pathname));
  return message === ''
    ? words.errors.notFoundWhy
    : `${named}${named.endsWith('.') ? '' : '.'} ${words.errors.notFoundWhy}`;
}
