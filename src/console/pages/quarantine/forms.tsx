/** What an operator does with quarantined webhooks: discard them, or report them to their sender. */
import type { FC } from 'hono/jsx';
import { FormToken } from '../../../pages/document.tsx';
import type { Language } from '../../../pages/language/languages.ts';
import { Act, CopiedText, Hidden, ReasonField } from '../../components/form-fields.tsx';
import { may, usePage } from '../../page.ts';

/** What cannot become an event is removed, with a reason. An entry that came after the page was read is not. */
export const DiscardForm: FC<{
  readonly id?: string;
  readonly count: number;
  readonly title?: string;
  readonly fields: readonly (readonly [name: string, value: string])[];
}> = ({ id, count, title, fields }) => {
  const page = usePage();
  const words = page.words.quarantine;
  if (!may(page, 'operate') || count === 0) return null;
  return (
    <Act id={id} title={title ?? words.discard(count)}>
      <form method="post" action="/quarantine/discard" class="stack">
        <FormToken page={page} />
        <Hidden fields={fields} />
        <ReasonField label={words.discardReason} />
        <p class="soft">{words.discardExplain}</p>
        <button class="danger">{words.discardConfirm(count)}</button>
      </form>
    </Act>
  );
};

/** A text for the sender, to select and copy: in the language of the page, and closed in the other. */
export const SenderReport: FC<{ readonly write: (language: Language) => string }> = ({ write }) => {
  const { words, language, url } = usePage();
  const isOpen = url.searchParams.get('open') === 'report';
  const textIn = (lang: Language) => ({
    lang,
    rows: 14,
    label: words.frame.languages[lang],
    text: write(lang),
  });
  const other = language === 'en' ? 'pt-BR' : 'en';
  return (
    <Act id="report" title={words.quarantine.report}>
      <p class="soft">{words.quarantine.reportLead}</p>
      <CopiedText {...textIn(language)} autofocus={isOpen} />
      <details>
        <summary lang={other}>{words.frame.languages[other]}</summary>
        <CopiedText {...textIn(other)} />
      </details>
    </Act>
  );
};
