/** The sign-in and the sign-out of the console. */
import type { FC } from 'hono/jsx';
import { deleteCookie, setCookie } from 'hono/cookie';
import { grantOf } from '../../access/roles.ts';
import { Notice } from '../../pages/list.tsx';
import { failureReason } from '../../kernel/failure-reason.ts';
import type { ConsoleApp, ConsoleContext, ConsoleDeps, PagesDeps } from '../console-deps.ts';
import { addForm } from '../forms.ts';
import { Document } from '../../pages/document.tsx';
import { SESSION_COOKIE } from '../guards.ts';
import { createUnknownFields, rejectForeign } from '../../pages/form-guard.ts';
import { ownAddress } from '../../pages/own-address.ts';
import type { Page } from '../page.ts';
import { SESSION_MS, type Sessions } from '../session.ts';

/** Adds the sign-in, for which no session is needed. */
export function addSignInPage(
  app: ConsoleApp,
  { tokens, clock, signOn, pageOf }: Pick<PagesDeps, 'tokens' | 'clock' | 'signOn' | 'pageOf'>,
  sessions: Sessions,
): void {
  const hasTokens = tokens.all !== null || tokens.view !== null;
  const readUnknown = createUnknownFields();
  app.get('/sign-in', async (c) =>
    c.html(<SignInPage page={await pageOf(c)} wrong={false} hasTokens={hasTokens} />),
  );

  addForm(app, '/sign-in', { action: 'signIn', needs: ['view'] }, async (c) => {
    rejectForeign(c, signOn.browserHeaders);
    const fields = await readUnknown(c);
    const grant = grantOf(fields.get('token') ?? '', tokens);
    if (grant === undefined)
      return c.html(<SignInPage page={await pageOf(c)} wrong hasTokens={hasTokens} />, 401);
    c.set('signedIn', grant);
    setCookie(c, SESSION_COOKIE, sessions.session(grant, clock.now()), {
      httpOnly: true,
      sameSite: 'Strict',
      path: '/',
      maxAge: SESSION_MS / 1000,
      secure: isSecure(c),
    });
    return c.redirect(ownAddress(fields.get('back')), 303);
  });
}

/** Adds the sign-out, a form of every page. A copy of the cookie is worth nothing afterwards. */
export function addSignOut(app: ConsoleApp, { store, log }: Pick<ConsoleDeps, 'store' | 'log'>): void {
  addForm(app, '/sign-out', { action: 'signOut', needs: ['view'] }, async (c) => {
    const { session, endsAt } = c.get('visitor');
    if (endsAt !== null)
      await store.endSession(session, endsAt).catch((error: unknown) => {
        log.error(
          { reason: failureReason(error) },
          'a sign-out could not be stored: a copied session lasts until its end',
        );
      });
    deleteCookie(c, SESSION_COOKIE, { path: '/' });
    return c.redirect('/sign-in', 303);
  });
}

/** A proxy that ends TLS says so. A cookie marked as secure would not come back over plain HTTP. */
function isSecure(c: ConsoleContext): boolean {
  return (c.req.header('x-forwarded-proto') ?? new URL(c.req.url).protocol.slice(0, -1)) === 'https';
}

interface SignInProps {
  readonly page: Page;
  /** Whether a token was sent that is none. */
  readonly wrong: boolean;
  /** Whether a token can be sent. */
  readonly hasTokens: boolean;
}

const SignInPage: FC<SignInProps> = ({ page, wrong, hasTokens }) => {
  const words = page.words.signIn;
  return (
    <Document page={page} title={words.title}>
      <main id="main" class="alone">
        <h1>Portaria</h1>
        {hasTokens ? (
          <form method="post" action="/sign-in" class="stack">
            {wrong && <Notice tone="bad">{words.wrong}</Notice>}
            <label>
              <span>{words.token}</span>
              <input type="password" name="token" required autofocus autocomplete="current-password" />
            </label>
            <input type="hidden" name="back" value={page.url.searchParams.get('back') ?? '/'} />
            <button class="primary">{words.title}</button>
            <p class="soft">{words.explain}</p>
          </form>
        ) : (
          <p>{page.words.signOn.byProxyOnly}</p>
        )}
      </main>
    </Document>
  );
};
