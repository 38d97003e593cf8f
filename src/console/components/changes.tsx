/** Shows what differs between two payloads. */
import type { FC } from 'hono/jsx';
import { MAX_COUNTED, type Changes } from '../../view/change-view.ts';
import { MASK } from '../../contract/personal-data.ts';
import { usePage } from '../page.ts';

/** Characters of a value or a path that are shown; the payload has the rest. */
const MAX_VALUE = 400;
/** Changes in one line. */
export const MAX_IN_LINE = 3;

/** What differs between two payloads, field by field. */
export const ChangeTable: FC<Changes> = ({ changes, more }) => {
  const { words, format } = usePage();
  if (changes.length === 0) return <p class="soft">{words.event.unchanged}</p>;
  const side = (values: Partial<Changes['changes'][number]>, which: 'from' | 'to') =>
    which in values ? (
      jsonBeginning(values[which], MAX_VALUE)
    ) : (
      <span class="soft">{words.event.absent}</span>
    );
  return (
    <>
      <table class="diff">
        <thead>
          <tr>
            <th scope="col">{words.columns.field}</th>
            <th scope="col">{words.event.was}</th>
            <th scope="col">{words.event.is}</th>
          </tr>
        </thead>
        <tbody>
          {changes.map(({ path, ...values }) => (
            <tr>
              <th scope="row">{cut(path, MAX_VALUE)}</th>
              {values.from === MASK && values.to === MASK ? (
                <td colspan={2}>{words.event.maskedChange}</td>
              ) : (
                <>
                  <td class="was">{side(values, 'from')}</td>
                  <td class="is">{side(values, 'to')}</td>
                </>
              )}
            </tr>
          ))}
        </tbody>
      </table>
      {more > 0 && <p class="soft">{words.payload.moreChanges(format.number(more, more === MAX_COUNTED))}</p>}
    </>
  );
};

/** Changes in one line, as text: nothing of the payloads is kept. */
export interface ChangeLine {
  readonly changes: readonly { readonly path: string; readonly to: string }[];
  readonly more: number;
}

/** Writes the first changes in one line, for tables. */
export function changeLine({ changes, more }: Changes): ChangeLine {
  return {
    changes: changes.slice(0, MAX_IN_LINE).map(({ path, ...values }) => ({
      path: copied(cut(path.replace(/^data\./u, ''), MAX_VALUE)),
      to: 'to' in values && typeof values.to !== 'object' ? copied(jsonBeginning(values.to, 40)) : '',
    })),
    more: more + Math.max(0, changes.length - MAX_IN_LINE),
  };
}

/** The changed fields in one line. */
export const ChangedFields: FC<ChangeLine> = ({ changes, more }) => (
  <>
    {changes.map(({ path, to }, index) => (
      <>
        {index > 0 && ', '}
        <span class="mono">{path}</span>
        {to !== '' && ` ${to}`}
      </>
    ))}
    {more > 0 && ` +${String(more)}${more >= MAX_COUNTED ? '+' : ''}`}
  </>
);

/** V8 keeps the whole string as long as a part of it is used. */
function copied(part: string): string {
  return Buffer.from(part).toString();
}

function cut(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max)}…` : text;
}

/** The beginning of a value as JSON, with `…` where it is cut. */
function jsonBeginning(value: unknown, max: number): string {
  return cut(JSON.stringify(typeof value === 'string' ? value.slice(0, max + 1) : value), max);
}
