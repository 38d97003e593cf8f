/** What an operator does with quarantined webhooks: discard them, report them to their sender, see what became of a release. */
import type { FC } from 'hono/jsx';
import { Notice } from '../../../pages/list.tsx';
import { FormToken } from '../../../pages/document.tsx';
import type { Language } from '../../../pages/language/languages.ts';
import type { QuarantineDetailView, QuarantineView } from '../../../view/quarantine-view.ts';
import { Act, Hidden, ReasonField } from '../../components/form-fields.tsx';
import { may, usePage } from '../../page.ts';
import type { WrongByte } from '../../../operate/show/likely-meant.ts';
import { senderReport, type HeldReport } from '../../sender-report.ts';

/** What cannot become an event is removed, with a reason. An entry that came after the page was read is not. */
export const DiscardForm: FC<{
  readonly id?: string;
  readonly count: number;
  readonly fields: readonly (readonly [name: string, value: string])[];
}> = ({ id, count, fields }) => {
  const page = usePage();
  const words = page.words.quarantine;
  if (!may(page, 'operate') || count === 0) return null;
  return (
    <Act id={id} title={words.discard(count)}>
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

/** What the discard that led here did. */
export const DiscardNotice: FC = () => {
  const { url, words } = usePage();
  const discarded = url.searchParams.get('discarded');
  if (discarded === null) return null;
  return (
    <Notice tone={discarded === '0' ? 'warn' : 'ok'}>{words.quarantine.discarded(Number(discarded))}</Notice>
  );
};

/** What the release that led here did. */
export const ReleaseNotice: FC = () => {
  const { url, words } = usePage();
  const released = url.searchParams.get('released');
  if (released === null) return null;
  const held = Number(url.searchParams.get('held'));
  return <Notice tone={held > 0 ? 'warn' : 'ok'}>{words.quarantine.outcomes(Number(released), held)}</Notice>;
};

/** A text for the sender, to select and copy, in the language of the page first. */
export const SenderReport: FC<{
  /** The webhook whose problem it is. */
  readonly sample: QuarantineDetailView;
  readonly webhooks: readonly QuarantineView[];
  /** Those of a problem; without it, those that are listed. */
  readonly all?: Pick<HeldReport, 'count' | 'firstAt' | 'lastAt'>;
  readonly wrong: WrongByte | null;
}> = ({ sample, webhooks, all, wrong }) => {
  const { words, language, url } = usePage();
  const { kind, source, message, issues, received_at: receivedAt, last_repeat_at: repeatedAt } = sample;
  const [issue] = issues;
  const report: HeldReport = {
    ...{ kind, source, wrong },
    path: issue?.path ?? '',
    message: issue?.message ?? message,
    value: issue?.value ?? null,
    webhooks,
    ...(all ?? { count: 1, firstAt: receivedAt, lastAt: repeatedAt ?? receivedAt }),
  };
  const languages: readonly Language[] = language === 'en' ? ['en', 'pt-BR'] : ['pt-BR', 'en'];
  return (
    <Act id="report" title={words.quarantine.report}>
      <p class="soft">{words.quarantine.reportLead}</p>
      {languages.map((each) => (
        <textarea
          class="command"
          readonly
          rows={14}
          lang={each}
          spellcheck={false}
          aria-label={words.frame.languages[each]}
          autofocus={each === language && url.searchParams.get('open') === 'report'}
        >
          {senderReport(each, report)}
        </textarea>
      ))}
    </Act>
  );
};
