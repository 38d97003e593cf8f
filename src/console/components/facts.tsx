/** Facts, each a term and what is known of it, and lists that may be empty. */
import type { Child, FC } from 'hono/jsx';
import { Table, type TableProps } from '../../pages/table.tsx';
import { usePage } from '../page.ts';

export type Fact = readonly [term: Child, fact: Child];

/** A list of facts; those that are false are left out. */
export const Facts: FC<{ readonly facts: readonly (Fact | false)[] }> = ({ facts }) => (
  <dl class="facts">
    {facts
      .filter((fact) => fact !== false)
      .map(([term, fact]) => (
        <>
          <dt>{term}</dt>
          <dd>{fact}</dd>
        </>
      ))}
  </dl>
);

export interface ListedProps<Row> extends Pick<TableProps<Row>, 'rows' | 'columns'> {
  readonly id?: string;
  /** Its heading, where the page has no other. */
  readonly title?: string;
  /** What the rows are. */
  readonly lead?: string;
  /** What is said where there is no row; without it, the list is left out. */
  readonly none?: string;
}

/** A table below its heading, or a sentence where there is no row. */
export function Listed<Row>({ id, title, lead, none, ...table }: ListedProps<Row>) {
  const text = table.rows.length === 0 ? none : lead;
  if (table.rows.length === 0 && none === undefined) return null;
  return (
    <>
      {title !== undefined && <h2 id={id}>{title}</h2>}
      {text !== undefined && <p class="soft">{text}</p>}
      {table.rows.length > 0 && <Table {...table} />}
    </>
  );
}

/** That a list has more than is shown, with a way to the rest. */
export const More: FC<{ readonly count: number; readonly href: string }> = ({ count, href }) => {
  const { list } = usePage().words;
  return count === 0 ? null : (
    <p class="soft">
      {list.left(count)} <a href={href}>{list.showLeft}</a>
    </p>
  );
};
