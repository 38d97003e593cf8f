/** The HTML document of a page, its language form and its form token. */
import { raw } from 'hono/html';
import type { Child, FC } from 'hono/jsx';
import type { AssetName } from './assets.ts';
import { CurrentBasePage, type BasePage } from './base-page.ts';
import { languageTags } from './language/languages.ts';

interface DocumentProps {
  readonly page: BasePage;
  readonly title: string;
  readonly scripts?: readonly AssetName[];
  readonly children?: Child;
}

/** The document around a page, also around one without navigation, such as the sign-in. */
export const Document: FC<DocumentProps> = ({ page, title, scripts = [], children }) => (
  <>
    {raw('<!doctype html>')}
    <html lang={page.language}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{`${title} · Portaria`}</title>
        <link rel="icon" href={page.assets.url('icon.svg')} />
        <link rel="stylesheet" href={page.assets.url('console.css')} />
        <meta name="htmx-config" content={HTMX_CONFIG} />
        {[...scripts, 'console.js' as const, 'times.js' as const].map((name) => (
          <script
            src={page.assets.url(name)}
            {...(name === 'htmx.js' ? { defer: true } : { type: 'module' })}
          ></script>
        ))}
      </head>
      <body>
        <a class="skip" href="#main">
          {page.words.frame.skip}
        </a>
        <CurrentBasePage.Provider value={page}>{children}</CurrentBasePage.Provider>
      </body>
    </html>
  </>
);

/**
 * htmx without what the policy of these pages forbids (styles of its own) or they do not need: links and forms
 * navigate as ever. A refresh that fails leaves the page as it is.
 */
const HTMX_CONFIG = JSON.stringify({
  includeIndicatorCSS: false,
  history: false,
  extensions: 'sse, console',
  noSwap: [204, 304, '4xx', '5xx'],
  morphSkipChildren: 'time[data-as="instant"]',
});

/** The other languages; its answer leads back to the page. */
export const LanguageForm: FC<{ readonly page: BasePage; readonly action: string }> = ({ page, action }) => (
  <form method="post" action={action} class="quiet">
    <FormToken page={page} />
    <input type="hidden" name="back" value={`${page.url.pathname}${page.url.search}`} />
    {languageTags
      .filter((tag) => tag !== page.language)
      .map((tag) => (
        <button name="language" value={tag} lang={tag}>
          {page.words.frame.languages[tag]}
        </button>
      ))}
  </form>
);

/** The hidden field that proves that the server rendered a form for this visitor. */
export const FormToken: FC<{ readonly page: Pick<BasePage, 'formToken'> }> = ({ page }) => (
  <input type="hidden" name="_token" value={page.formToken} />
);
