/** Parts of pages with lists: fields of filters, fields with problems, notices, pager. */
import type { Child, FC } from 'hono/jsx';
import { addressWith, useBasePage } from './base-page.ts';

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
export const Pager: FC<{
  readonly next: string | null;
  /** The words of a list that is not the newest first. */
  readonly labels?: { readonly next: string; readonly first: string };
}> = ({ next, labels }) => {
  const { words, url } = useBasePage();
  const isFirst = !url.searchParams.has('after');
  if (next === null && isFirst) return null;
  return (
    <p class="pager">
      {!isFirst && <a href={addressWith(url, {})}>{labels?.first ?? words.list.first}</a>}
      {next !== null && (
        <a href={addressWith(url, { after: next })} rel="next">
          {labels?.next ?? words.list.next}
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
  const { words, url } = useBasePage();
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
  /** Values that are offered; any other may be typed. */
  readonly known?: readonly string[];
  /** What it holds, where that is not what the address says. */
  readonly value?: string;
  readonly of?: 'time' | 'number';
  /** What is wrong with what was typed. */
  readonly problem?: string | undefined;
}

/** A filter that is typed. */
export const TextFilter: FC<TextFilterProps> = ({ name, label, hint, known, value, of, problem }) => (
  <label>
    <span>{label}</span>
    <input
      name={name}
      value={value ?? useBasePage().url.searchParams.get(name) ?? ''}
      placeholder={hint ?? ''}
      autocomplete="off"
      spellcheck={false}
      {...(of === 'time' && { 'data-time': '' })}
      inputmode={of === 'number' ? 'decimal' : undefined}
      list={known && `known-${name}`}
      {...markedWrong(name, problem)}
    />
    {known && (
      <datalist id={`known-${name}`}>
        {known.map((value) => (
          <option value={value} />
        ))}
      </datalist>
    )}
    <FieldProblem name={name} problem={problem} />
  </label>
);

/** The attributes of a field with a problem. */
function markedWrong(name: string, problem: string | undefined): Readonly<Record<string, string>> {
  return problem === undefined ? {} : { 'aria-invalid': 'true', 'aria-describedby': `problem-${name}` };
}

/** What is wrong with a field, beside it. */
export const FieldProblem: FC<{ readonly name: string; readonly problem: string | undefined }> = ({
  name,
  problem,
}) =>
  problem === undefined ? null : (
    <span id={`problem-${name}`} class="error" role="alert">
      {problem}
    </span>
  );
