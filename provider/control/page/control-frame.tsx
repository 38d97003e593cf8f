/** The frame of the pages of `/control`. */
import type { Child, FC } from 'hono/jsx';
import { Notice } from '../../../src/pages/list.tsx';
import { Document, FormToken } from '../../../src/pages/document.tsx';
import type { BasePage } from '../../../src/pages/base-page.ts';

/** The pages, in the order of the navigation. */
export const paths = {
  overview: '/control/',
  deliveries: '/control/deliveries',
  logins: '/control/logins',
  slips: '/control/slips',
  documents: '/control/documents',
} as const;

export type ControlPageName = keyof typeof paths;

/** What every part of a page needs of its request. */
export interface ControlView {
  /** What the components of all pages read. Its address is that of the page, even while a form is answered. */
  readonly page: BasePage;
  /** Base of the receiver's console, without a slash at the end; null when it is not known. */
  readonly console: string | null;
  /** What a form did, or why it did nothing. */
  readonly notice: { readonly tone: 'ok' | 'bad'; readonly text: string } | null;
}

const pageNames: Readonly<Record<ControlPageName, string>> = {
  overview: 'Clock and chaos',
  deliveries: 'Webhooks',
  logins: 'Logins',
  slips: 'Slips',
  documents: 'Documents',
};

interface FrameProps {
  readonly view: ControlView;
  readonly current: ControlPageName | null;
  readonly title: string;
  readonly children?: Child;
}

/** A whole page of the provider: the navigation and the content. */
export const ControlFrame: FC<FrameProps> = ({ view, current, title, children }) => {
  const { page, notice } = view;
  return (
    <Document page={page} title={`${title} · Provider`}>
      <div class="frame">
        <nav aria-label={page.words.frame.pages}>
          <a class="name" href={paths.overview}>
            Provider
          </a>
          {Object.entries(paths).map(([name, path]) => (
            <a href={path} {...(name === current && { 'aria-current': 'page' })}>
              {pageNames[name as ControlPageName]}
            </a>
          ))}
          <hr />
          <a href="/docs">API reference</a>
          {view.console !== null && <a href={`${view.console}/`}>Receiver’s console</a>}
        </nav>
        <div>
          <header>
            <span class="soft">{page.url.host}</span>
            <span class="who">{page.words.frame.visitor('loopback')}</span>
          </header>
          <main id="main">
            {notice !== null && <Notice tone={notice.tone}>{notice.text}</Notice>}
            {children}
          </main>
        </div>
      </div>
    </Document>
  );
};

interface ActProps {
  readonly view: ControlView;
  /** Path of the control below `/control`. */
  readonly to: string;
  readonly label: string;
  /** The record, for a label that is read aloud without its row. */
  readonly about?: string;
  readonly method?: 'PUT' | 'DELETE';
  readonly primary?: boolean;
  /** Many fields, in columns. */
  readonly columns?: boolean;
  /** Fields of the body. */
  readonly fields?: Readonly<Record<string, string>>;
  /** Further fields, for visitors to fill. */
  readonly children?: Child;
}

/** A button that uses a control: a form whose fields are the body of the request. */
export const Act: FC<ActProps> = ({
  view,
  to,
  label,
  about,
  method,
  primary,
  columns,
  fields = {},
  children,
}) => (
  <form
    method="post"
    action={`/control/do${to}`}
    class={children === undefined ? 'act' : columns === true ? 'act filters columns' : 'act filters'}
  >
    <FormToken page={view.page} />
    <input type="hidden" name="_back" value={backOf(view)} />
    {method !== undefined && <input type="hidden" name="_method" value={method} />}
    {Object.entries(fields).map(([name, value]) => (
      <input type="hidden" name={name} value={value} />
    ))}
    {children}
    <button
      class={primary === true ? 'primary' : ''}
      {...(about !== undefined && { 'aria-label': `${label}: ${about}` })}
    >
      {label}
    </button>
  </form>
);

/** The page's address without what the last form did. */
function backOf({ page: { url } }: ControlView): string {
  const back = new URL(url);
  back.searchParams.delete('done');
  back.searchParams.delete('count');
  return `${back.pathname}${back.search}`;
}
