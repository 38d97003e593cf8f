import type { FC } from 'hono/jsx';
import type { ChangeView } from '../../view/change-view.ts';
import { usePage } from '../page.ts';

/** Characters of a value that are shown; the payload has the rest. */
const MAX_VALUE = 400;
/** Fields that are listed. Two large payloads can differ in a hundred thousand. */
const MAX_CHANGES = 200;

/** What differs between two payloads, field by field. */
export const Changes: FC<{ readonly changes: readonly ChangeView[] }> = ({ changes }) => {
  const { words, format } = usePage();
  if (changes.length === 0) return <p class="soft">{words.event.unchanged}</p>;
  const more = changes.length - MAX_CHANGES;
  return (
    <>
      <table class="diff">
        <thead>
          <tr>
            <th scope="col">{words.event.field}</th>
            <th scope="col">{words.event.was}</th>
            <th scope="col">{words.event.is}</th>
          </tr>
        </thead>
        <tbody>
          {changes.slice(0, MAX_CHANGES).map(({ path, ...values }) => (
            <tr>
              <th scope="row">{path}</th>
              <td class="was">{'from' in values ? valueText(values.from) : <Absent />}</td>
              <td class="is">{'to' in values ? valueText(values.to) : <Absent />}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {more > 0 && <p class="soft">{words.payload.moreChanges(format.number(more))}</p>}
    </>
  );
};

/** The changed fields in one line, for tables. */
export const ChangedFields: FC<{ readonly changes: readonly ChangeView[] }> = ({ changes }) => {
  const shown = changes.slice(0, 3);
  return (
    <>
      {shown.map(({ path, ...values }, index) => (
        <>
          {index > 0 && ', '}
          <span class="mono">{path.replace(/^data\./u, '')}</span>
          {'to' in values && typeof values.to !== 'object' && ` ${valueText(values.to).slice(0, 40)}`}
        </>
      ))}
      {changes.length > shown.length && ` +${String(changes.length - shown.length)}`}
    </>
  );
};

const Absent: FC = () => <span class="soft">{usePage().words.event.absent}</span>;

function valueText(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text;
}
