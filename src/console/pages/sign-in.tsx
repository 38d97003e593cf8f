import type { FC } from 'hono/jsx';
import { deleteCookie, setCookie } from 'hono/cookie';
import { grantOf } from '../access.ts';
import { Notice } from '../components/list.tsx';
import type { ConsoleApp, ConsoleContext, PagesDeps } from '../console-deps.ts';
import { Document } from '../frame.tsx';
import { readFields, rejectForeign, SESSION_COOKIE } from '../guards.ts';
import type { Page } from '../page.ts';
import { SESSION_MS, type Seals } from '../session.ts';

/** Adds the sign-in, for which no session is needed. */
export function addSignInPage(
  app: ConsoleApp,
  { tokens, clock, pageOf }: Pick<PagesDeps, 'tokens' | 'clock' | 'pageOf'>,
  seals: Seals,
): void {
  app.get('/sign-in', async (c) => c.html(<SignInPage page={await pageOf(c)} wrong={false} />));

  app.post('/sign-in', async (c) => {
    rejectForeign(c);
    const fields = await readFields(c);
    const grant = grantOf(fields.get('token') ?? '', tokens);
    if (grant === undefined) return c.html(<SignInPage page={await pageOf(c)} wrong />, 401);
    setCookie(c, SESSION_COOKIE, seals.session(grant, clock.now()), {
      httpOnly: true,
      sameSite: 'Strict',
      path: '/',
      maxAge: SESSION_MS / 1000,
      secure: isSecure(c),
    });
    return c.redirect(backTo(fields.get('back')), 303);
  });
}

/** Adds the sign-out, a form of every page. */
export function addSignOut(app: ConsoleApp): void {
  app.post('/sign-out', (c) => {
    deleteCookie(c, SESSION_COOKIE, { path: '/' });
    return c.redirect('/sign-in', 303);
  });
}

/** A proxy that ends TLS says so. A cookie marked as secure would not come back over plain HTTP. */
function isSecure(c: ConsoleContext): boolean {
  return (c.req.header('x-forwarded-proto') ?? new URL(c.req.url).protocol.slice(0, -1)) === 'https';
}

/** A path of this origin; the overview for anything else, so no link can lead elsewhere. */
export function backTo(path: string | null): string {
  return path !== null && /^\/(?![/\\])/u.test(path) && !/[\r\n]/u.test(path) ? path : '/';
}

const SignInPage: FC<{ readonly page: Page; readonly wrong: boolean }> = ({ page, wrong }) => {
  const words = page.words.signIn;
  return (
    <Document page={page} title={words.title}>
      <main id="main" class="alone">
        <h1>Portaria</h1>
        <form method="post" action="/sign-in" class="stack">
          {wrong && <Notice tone="bad">{words.wrong}</Notice>}
          <label>
            <span>{words.token}</span>
            <input type="password" name="token" required autofocus autocomplete="current-password" />
          </label>
          <input type="hidden" name="back" value={page.url.searchParams.get('back') ?? '/'} />
          <button class="primary">{words.submit}</button>
          <p class="soft">{words.explain}</p>
        </form>
      </main>
    </Document>
  );
};
