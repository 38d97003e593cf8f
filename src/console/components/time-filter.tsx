/** A filter by time. */
import type { FC } from 'hono/jsx';
import { instantOf } from '../list-filter.ts';
import { usePage } from '../page.ts';
import { FieldProblem, markedWrong } from '../../pages/list.tsx';

interface TimeFilterProps {
  readonly name: string;
  readonly label: string;
  /** What is wrong with what was typed. */
  readonly problem?: string | undefined;
}

/**
 * A filter that is a time. It shows the instant that the address means: the script rewrites it into the zone of
 * the browser, and what is typed back into an instant.
 */
export const TimeFilter: FC<TimeFilterProps> = ({ name, label, problem }) => {
  const { words, url, now } = usePage();
  return (
    <label>
      <span>{label}</span>
      <input
        name={name}
        value={shownTime(url.searchParams.get(name) ?? '', now)}
        placeholder={words.list.timeHint}
        data-time=""
        autocomplete="off"
        spellcheck={false}
        {...markedWrong(name, problem)}
      />
      <FieldProblem name={name} problem={problem} />
    </label>
  );
};

/** A period stays as it was written: it moves with the time of the reader. */
function shownTime(given: string, now: number): string {
  const ms = /^\d{4}-/u.test(given.trim()) ? instantOf(given.trim(), now) : undefined;
  return ms === undefined ? given : `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
