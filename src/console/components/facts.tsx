/** Facts, each a term and what is known of it, and lists that may be empty. */
import type { Child, FC } from 'hono/jsx';
import { Table, type TableProps } from '../../pages/table.tsx';

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
  /** What is said where there is no row. */
  readonly none: string;
}

/** A table below its heading, or a sentence where there is no row. */
export function Listed<Row>({ id, title, lead, none, ...table }: ListedProps<Row>) {
  const text = table.rows.length === 0 ? none : lead;
  return (
    <>
      {title !== undefined && <h2 id={id}>{title}</h2>}
      {text !== undefined && <p class="soft">{text}</p>}
      {table.rows.length > 0 && <Table {...table} />}
    </>
  );
}
