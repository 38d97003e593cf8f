/** Holds as a table, with the forms that place and end them. */
import type { FC } from 'hono/jsx';
import { FormToken } from '../../pages/document.tsx';
import { Time } from '../../pages/time.tsx';
import { may, usePage } from '../page.ts';
import { errorText } from '../../view/payload/unmasking.ts';
import type { HoldView } from '../../view/privacy/finding-view.ts';
import { subjectColumn } from './event-cells.tsx';
import { Listed } from './facts.tsx';
import { Act, Hidden, ReasonField } from './form-fields.tsx';

/** The held subjects, each with a form that ends its hold. */
export const Holds: FC<{ readonly holds: readonly HoldView[] }> = ({ holds }) => {
  const page = usePage();
  const { privacy: words, erasures, columns } = page.words;
  return (
    <Listed
      {...{ none: words.noHolds, lead: words.holdsLead, rows: holds }}
      columns={[
        subjectColumn(),
        { head: columns.reason, cell: ({ reason }) => errorText(reason, { unmask: false }) },
        { head: columns.by, cell: ({ placed_by }) => page.words.frame.visitor(placed_by) },
        { head: columns.since, cell: ({ placed_at }) => <Time iso={placed_at} /> },
        may(page, 'operate') && {
          head: erasures.end,
          cell: ({ subject, reason }) => (
            <Act title={erasures.end}>
              <form method="post" action="/privacy/hold/end" class="stack">
                <FormToken page={page} />
                <Hidden fields={[['subject', subject]]} />
                <ReasonField label={columns.reason} hint={erasures.reasonWhy} />
                <p class="soft">{erasures.endWhy(subject, errorText(reason, { unmask: false }))}</p>
                <button class="primary">{erasures.end}</button>
              </form>
            </Act>
          ),
        },
      ]}
    />
  );
};

/** A form that holds a subject, closed until it is needed. */
export const HoldForm: FC = () => {
  const page = usePage();
  const words = page.words.erasures;
  if (!may(page, 'operate')) return null;
  return (
    <Act title={words.hold}>
      <form method="post" action="/privacy/hold" class="stack">
        <FormToken page={page} />
        <label>
          <span>{page.words.columns.subject}</span>
          <input name="subject" required placeholder={words.subjectHint} autocomplete="off" />
        </label>
        <ReasonField label={page.words.columns.reason} hint={words.reasonWhy} />
        <p class="soft">{words.holdWhy}</p>
        <button class="primary">{words.place}</button>
      </form>
    </Act>
  );
};
