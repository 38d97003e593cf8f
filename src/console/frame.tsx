/** The frame of every page of the console: navigation, search, footer. */
import type { Child, FC } from 'hono/jsx';
import type { AssetName } from '../pages/assets.ts';
import { CurrentBasePage } from '../pages/base-page.ts';
import { Facts } from './components/facts.tsx';
import { Document, FormToken, LanguageForm } from '../pages/document.tsx';
import { Notice } from '../pages/list.tsx';
import { CurrentPage, usePage, type Page } from './page.ts';

/** The pages of the navigation, in groups, each with the key that leads to it after `g`. */
const navigation = [
  [
    ['overview', '/', 'o'],
    ['events', '/events', 'e'],
    ['failures', '/failures', 'f'],
    ['quarantine', '/quarantine', 'q'],
    ['live', '/live', 'l'],
  ],
  [
    ['handlers', '/handlers', 'h'],
    ['machines', '/machines', 'm'],
    ['contract', '/contract', 'c'],
    ['jobs', '/jobs', 'j'],
    ['senders', '/senders', 'r'],
  ],
  [
    ['audit', '/audit', 'a'],
    ['privacy', '/privacy', 'p'],
    ['system', '/system', 's'],
  ],
] as const;

export type PageName = (typeof navigation)[number][number][0];

/** Seconds after which a page that shows the present refreshes itself. */
const refreshSeconds: Partial<Record<PageName, number>> = {
  overview: 10,
  failures: 10,
  quarantine: 10,
  handlers: 10,
  jobs: 5,
  system: 30,
  senders: 30,
};

interface FrameProps {
  readonly page: Page;
  /** The entry of the navigation that is shown as current; null on a page that belongs to none. */
  readonly current: PageName | null;
  /** The title of the document, without the name of the program. */
  readonly title: string;
  /** Seconds after which the page refreshes itself; by default those of its entry in the navigation. 0: never. */
  readonly refresh?: number;
  /** Scripts that this page needs beside those of all pages. */
  readonly scripts?: readonly AssetName[];
  readonly children?: Child;
}

/** A whole page: the document, the navigation, the search, and the content. */
export const Frame: FC<FrameProps> = ({ page, current, title, refresh, scripts = [], children }) => (
  <Document page={page} title={title} scripts={['htmx.js', ...scripts]}>
    <InPage page={page}>
      <div class="frame">
        <Navigation current={current} />
        <div>
          <Header />
          <p id="lost" role="status" class="notice warn" hidden>
            {page.words.live.stands}
          </p>
          <main
            id="main"
            {...refreshing(page, refresh ?? (current === null ? 0 : (refreshSeconds[current] ?? 0)))}
          >
            {page.url.searchParams.has('resumed') && <Notice tone="ok">{page.words.pauses.resumed}</Notice>}
            {children}
          </main>
        </div>
      </div>
      <KeyHelp />
    </InPage>
  </Document>
);

/** Renders components of the console for a page, also apart from its document. */
export const InPage: FC<{ readonly page: Page; readonly children?: Child }> = ({ page, children }) => (
  <CurrentBasePage.Provider value={page}>
    <CurrentPage.Provider value={page}>{children}</CurrentPage.Provider>
  </CurrentBasePage.Provider>
);

/**
 * The attributes by which a page refreshes itself. One with personal data never does, because each load of it
 * is an entry in the audit.
 */
function refreshing(page: Page, seconds: number): Readonly<Record<string, string>> {
  if (seconds === 0 || page.unmask) return {};
  return {
    'hx-get': `${page.url.pathname}${page.url.search}`,
    'hx-trigger': 'refresh',
    'hx-select': '#main',
    'hx-select-oob': '#nav:outerMorph',
    'hx-target': 'this',
    'hx-swap': 'outerMorph',
    'data-refresh': String(seconds),
  };
}

/** What the navigation lists. A process without machines has no entry for them. */
const listedPages = ({ hasMachines }: Page) =>
  navigation.map((group) => group.filter(([name]) => name !== 'machines' || hasMachines));

const Navigation: FC<{ readonly current: PageName | null }> = ({ current }) => {
  const page = usePage();
  const { words, format } = page;
  const counts: Partial<Record<PageName, number>> = page.counts ?? {};
  return (
    <nav id="nav" aria-label={words.frame.menu}>
      <a class="name" href="/">
        <svg width="18" height="18" viewBox="0 0 18 18" aria-hidden="true">
          <path d="M3 17V7a6 6 0 0 1 12 0v10" fill="none" stroke="currentColor" stroke-width="2" />
          <path d="M1 17h16M9 9v4" stroke="currentColor" stroke-width="2" />
        </svg>
        Portaria
      </a>
      {/* On a phone, its state shows the pages after it. */}
      <details>
        <summary>{words.frame.menu}</summary>
      </details>
      {listedPages(page).map((group, index) => (
        <>
          {index > 0 && <hr />}
          {group.map(([name, path, key]) => {
            const count = counts[name] ?? 0;
            return (
              <a href={path} data-key={key} aria-current={name === current ? 'page' : undefined}>
                {words.frame.names[name]}
                {count > 0 && (
                  <span
                    class={name === 'failures' ? 'bad' : 'warn'}
                    title={name === 'handlers' ? words.pauses.title : undefined}
                  >
                    {format.number(count)}
                  </span>
                )}
              </a>
            );
          })}
        </>
      ))}
    </nav>
  );
};

const Header: FC = () => {
  const page = usePage();
  const { words, visitor, format } = page;
  return (
    <header>
      <form method="post" action="/search" role="search">
        <FormToken page={page} />
        <input
          id="search"
          name="q"
          aria-label={words.frame.search}
          placeholder={words.frame.searchHint}
          autocomplete="off"
          spellcheck={false}
        />
      </form>
      {/* The script replaces it with the zone of the browser. */}
      <span class="zone">
        <span class="unseen">{words.frame.zone} </span>
        <span data-zone="offset" title={format.zone}>
          {format.offset()}
        </span>
      </span>
      <span class="who">{words.frame.visitor(visitor.name)}</span>
      <button type="button" id="help-open" class="quiet" aria-keyshortcuts="?" hidden>
        {words.keys.open}
      </button>
      <LanguageForm page={page} action="/language" />
      {page.signedIn && (
        <form method="post" action="/sign-out" class="quiet">
          <FormToken page={page} />
          <button>{words.frame.signOut}</button>
        </form>
      )}
    </header>
  );
};

/** The keys, in a dialog that `?` opens. */
const KeyHelp: FC = () => {
  const page = usePage();
  const { keys, frame } = page.words;
  const ofPages = listedPages(page)
    .flat()
    .map(([name, , key]) => [`g ${key}`, frame.names[name]]);
  return (
    <dialog id="help" aria-labelledby="help-title">
      <h2 id="help-title">{keys.open}</h2>
      <Facts
        facts={[...Object.entries(keys.list), ...ofPages].map(([each = '', meaning]) => [
          each.split(' ').map((key) => [<kbd>{key}</kbd>, ' ']),
          meaning,
        ])}
      />
      <form method="dialog">
        <button>{keys.close}</button>
      </form>
    </dialog>
  );
};

/** Seconds after which a page about something that runs reads its numbers again. */
export const READ_AGAIN_S = 2;
