import type { Child, FC } from 'hono/jsx';
import { addressWith, usePage } from '../page.ts';

/** A sentence that says why a list is empty and what to do. */
export const Empty: FC<{ readonly children?: Child }> = ({ children }) => <p class="empty">{children}</p>;

/** What was done, or why it was not. */
export const Notice: FC<{ readonly tone: 'ok' | 'warn' | 'bad'; readonly children?: Child }> = ({
  tone,
  children,
}) => (
  <p class={`notice ${tone}`} role={tone === 'bad' ? 'alert' : 'status'}>
    {children}
  </p>
);

/** Links to the next page of a list, and back to its first. */
export const Pager: FC<{ readonly next: string | null }> = ({ next }) => {
  const { words, url } = usePage();
  const isFirst = !url.searchParams.has('after');
  if (next === null && isFirst) return null;
  const older = new URL(url);
  if (next !== null) older.searchParams.set('after', next);
  return (
    <p class="pager">
      {!isFirst && <a href={addressWith(url, {})}>{words.list.first}</a>}
      {next !== null && (
        <a href={`${older.pathname}${older.search}`} rel="next">
          {words.list.next}
        </a>
      )}
    </p>
  );
};

interface ChoiceProps {
  readonly name: string;
  readonly label: string;
  readonly options: readonly (readonly [value: string, label: string])[];
}

/** A filter with a few values. The empty value removes it. */
export const Choice: FC<ChoiceProps> = ({ name, label, options }) => {
  const { words, url } = usePage();
  const chosen = url.searchParams.get(name) ?? '';
  return (
    <label>
      <span>{label}</span>
      <select name={name}>
        <option value="">{words.list.any}</option>
        {options.map(([value, text]) => (
          <option value={value} selected={value === chosen}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
};

interface TextFilterProps {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
}

/** A filter that is typed. */
export const TextFilter: FC<TextFilterProps> = ({ name, label, hint }) => (
  <label>
    <span>{label}</span>
    <input
      name={name}
      value={usePage().url.searchParams.get(name) ?? ''}
      placeholder={hint ?? ''}
      autocomplete="off"
      spellcheck={false}
    />
  </label>
);

/** The filters of a list: a form that changes the address. */
export const Filters: FC<{ readonly action: string; readonly children?: Child }> = ({ action, children }) => (
  <form action={action} class="filters">
    {children}
    <button>{usePage().words.list.filter}</button>
  </form>
);
