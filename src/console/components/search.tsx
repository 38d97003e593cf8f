/** The filters and the progress of a search. */
import type { FC } from 'hono/jsx';
import type { SearchResult } from '../../operate/search/search-events.ts';
import { addressWith } from '../../pages/base-page.ts';
import { TextFilter } from '../../pages/list.tsx';
import { may, usePage } from '../page.ts';
import { Facts } from './facts.tsx';
import { Time } from '../../pages/time.tsx';
import { instantText } from '../../view/instant-text.ts';

/**
 * The filters by content, which keep the choice to search personal data. No field is named as a member of the
 * form's element is, such as `contains`: scripts would get the field instead.
 */
export const ContentFilters: FC = () => {
  const { words, url, unmask } = usePage();
  const { searchParams } = url;
  return (
    <>
      <TextFilter
        name="where"
        label={words.search.where}
        hint={words.search.whereHint}
        value={searchParams.getAll('where').join(' and ')}
      />
      <TextFilter name="text" label={words.search.contains} />
      {searchParams
        .getAll('text')
        .slice(1)
        .map((word) => (
          <input type="hidden" name="text" value={word} />
        ))}
      {unmask && <input type="hidden" name="unmask" value="true" />}
    </>
  );
};

/** Whether a search of payloads left out personal data. */
export const SearchNotice: FC = () => {
  const page = usePage();
  const { words, url, unmask } = page;
  return (
    <p class="soft">
      {unmask ? words.search.unmasked : words.search.masked}{' '}
      {!unmask && may(page, 'unmask') && (
        <a href={addressWith(url, { unmask: 'true', further: null })}>{words.search.unmask}</a>
      )}
    </p>
  );
};

/** How far a search has come when it has not reached the end. */
export const SearchProgress: FC<{ readonly search: SearchResult }> = ({ search }) => {
  const { words, format, url } = usePage();
  const { end, scanned, next, cursorAt } = search;
  if ((end !== 'time' && end !== 'too-old') || cursorAt === null || next === null) return null;
  return (
    <p class="progress" role="status">
      {words.search.looked(format.number(scanned))} <Time iso={instantText(cursorAt)} />.{' '}
      {end === 'too-old' && `${words.search.tooOld} `}
      <a href={addressWith(url, { after: next, further: '1' })} rel="next">
        {words.search.further}
      </a>
    </p>
  );
};

/** The language of the search, by examples. */
export const SearchHelp: FC = () => {
  const { words } = usePage();
  return (
    <details class="help">
      <summary>{words.search.help}</summary>
      <Facts
        facts={Object.entries(words.search.helpRows).map(([example, meaning]) => [
          <span class="mono">{example}</span>,
          meaning,
        ])}
      />
    </details>
  );
};
