/** Fields that several forms have. */
import type { Child, FC } from 'hono/jsx';
import type { Language } from '../../pages/language/languages.ts';
import { may, usePage } from '../page.ts';
import { MAX_REASON } from '../../privacy/holds.ts';

/** Why: stored with what is done, and in the audit. */
export const ReasonField: FC<{ readonly label: string; readonly hint?: string; readonly value?: string }> = ({
  label,
  hint,
  value,
}) => (
  <label>
    <span>{label}</span>
    <input
      name="reason"
      required
      maxlength={MAX_REASON}
      autocomplete="off"
      value={value}
      autofocus={usePage().url.searchParams.has('open')}
    />
    {hint !== undefined && <span class="soft">{hint}</span>}
  </label>
);

/** A text to select, with a button that copies it: that needs neither HTTPS nor JavaScript. */
export const CopiedText: FC<{
  readonly label: string;
  readonly rows: number;
  readonly text: string;
  readonly lang?: Language;
  readonly autofocus?: boolean;
}> = ({ text, label, ...attributes }) => {
  const { payload: words } = usePage().words;
  return (
    <>
      <textarea class="command" readonly spellcheck={false} aria-label={label} {...attributes}>
        {text}
      </textarea>
      <p>
        <button type="button" data-copied={words.copied} hidden>
          {words.copy}
        </button>
      </p>
    </>
  );
};

/** Something to do on a page, closed until it is needed, or open by its address. */
export const Act: FC<{
  readonly id?: string | undefined;
  readonly title: string;
  readonly children?: Child;
}> = ({ id, title, children }) => (
  <details class="act" id={id} open={id !== undefined && usePage().url.searchParams.get('open') === id}>
    <summary>{title}</summary>
    {children}
  </details>
);

/** What only operators do. Whoever may only view reads why it is not there. */
export const ForOperators: FC<{ readonly children?: Child }> = ({ children }) => {
  const page = usePage();
  return may(page, 'operate') ? <>{children}</> : <p class="soft">{page.words.frame.viewOnly}</p>;
};

/** The address of a page on which something to do is open. A fragment would keep the focus from its field. */
export function openAddress(address: string, id: string): string {
  return `${address}${address.includes('?') ? '&' : '?'}open=${id}`;
}

/** What a form sends along; a name may come more than once. */
export const Hidden: FC<{ readonly fields: readonly (readonly [name: string, value: string])[] }> = ({
  fields,
}) => (
  <>
    {fields.map(([name, value]) => (
      <input type="hidden" name={name} value={value} />
    ))}
  </>
);
