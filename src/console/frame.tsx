import { raw } from 'hono/html';
import type { Child, FC } from 'hono/jsx';
import { CurrentPage, type Page } from './page.ts';
import { languageTags } from './language/words.ts';

/** The pages of the navigation, in groups. */
const navigation = [
  [
    ['overview', '/'],
    ['events', '/events'],
    ['failures', '/failures'],
    ['quarantine', '/quarantine'],
  ],
  [
    ['handlers', '/handlers'],
    ['machines', '/machines'],
    ['contract', '/contract'],
    ['replays', '/replays'],
    ['jobs', '/jobs'],
  ],
  [
    ['audit', '/audit'],
    ['system', '/system'],
  ],
] as const;

export type PageName = (typeof navigation)[number][number][0];

interface FrameProps {
  readonly page: Page;
  /** The entry of the navigation that is shown as current. */
  readonly current: PageName;
  /** The title of the document, without the name of the program. */
  readonly title: string;
  readonly children?: Child;
}

/** A whole page: the document, the navigation, the search, and the content. */
export const Frame: FC<FrameProps> = ({ page, current, title, children }) => (
  <Document page={page} title={title}>
    <div class="frame">
      <Navigation page={page} current={current} />
      <div>
        <Header page={page} />
        <main id="main">{children}</main>
      </div>
    </div>
  </Document>
);

/** The document around a page, also around one without navigation, such as the sign-in. */
export const Document: FC<{ readonly page: Page; readonly title: string; readonly children?: Child }> = ({
  page,
  title,
  children,
}) => (
  <>
    {raw('<!doctype html>')}
    <html lang={page.language}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{`${title} · Portaria`}</title>
        <link rel="icon" href={page.assets.url('icon.svg')} />
        <link rel="stylesheet" href={page.assets.url('console.css')} />
        <script src={page.assets.url('console.js')} defer></script>
      </head>
      <body>
        <a class="skip" href="#main">
          {page.words.frame.skip}
        </a>
        <CurrentPage.Provider value={page}>{children}</CurrentPage.Provider>
      </body>
    </html>
  </>
);

const Navigation: FC<{ readonly page: Page; readonly current: PageName }> = ({ page, current }) => (
  <nav aria-label={page.words.frame.pages}>
    <a class="name" href="/">
      <svg width="18" height="18" viewBox="0 0 18 18" aria-hidden="true">
        <path d="M3 17V7a6 6 0 0 1 12 0v10" fill="none" stroke="currentColor" stroke-width="2" />
        <path d="M1 17h16M9 9v4" stroke="currentColor" stroke-width="2" />
      </svg>
      Portaria
    </a>
    {navigation.map((group, index) => (
      <>
        {index > 0 && <hr />}
        {group.map(([name, path]) => (
          <a href={path} {...(name === current && { 'aria-current': 'page' })}>
            {page.words.frame.names[name]}
            <Count page={page} name={name} />
          </a>
        ))}
      </>
    ))}
  </nav>
);

const Count: FC<{ readonly page: Page; readonly name: PageName }> = ({ page, name }) => {
  if (page.counts === null || (name !== 'failures' && name !== 'quarantine' && name !== 'handlers'))
    return null;
  const count = page.counts[name];
  if (count === 0) return null;
  return (
    <span
      class={name === 'failures' ? 'bad' : 'warn'}
      {...(name === 'handlers' && { title: page.words.pauses.title })}
    >
      {page.format.number(count)}
    </span>
  );
};

const Header: FC<{ readonly page: Page }> = ({ page }) => {
  const { words, visitor, language } = page;
  return (
    <header>
      <form action="/search" role="search">
        <input
          id="search"
          name="q"
          aria-label={words.frame.search}
          placeholder={words.frame.searchHint}
          autocomplete="off"
          spellcheck={false}
        />
      </form>
      <span class="who">{words.frame.visitor(visitor.name)}</span>
      <form method="post" action="/language" class="quiet">
        <FormToken page={page} />
        <input type="hidden" name="back" value={`${page.url.pathname}${page.url.search}`} />
        {languageTags
          .filter((tag) => tag !== language)
          .map((tag) => (
            <button name="language" value={tag} lang={tag}>
              {words.frame.languages[tag]}
            </button>
          ))}
      </form>
      {page.signedIn && (
        <form method="post" action="/sign-out" class="quiet">
          <FormToken page={page} />
          <button>{words.frame.signOut}</button>
        </form>
      )}
    </header>
  );
};

/** The hidden field that proves that the server rendered a form for this visitor. */
export const FormToken: FC<{ readonly page: Pick<Page, 'formToken'> }> = ({ page }) => (
  <input type="hidden" name="_token" value={page.formToken} />
);
