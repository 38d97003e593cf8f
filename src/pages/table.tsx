/** Tables of pages. */
import type { Child } from 'hono/jsx';

/** One column of a table. */
export interface Column<Row> {
  readonly head: string;
  readonly cell: (row: Row) => Child;
  /** `number` aligns to the right; `code` uses the fixed-width face. */
  readonly as?: 'number' | 'code';
}

export interface TableProps<Row> {
  /** Those that are false are left out. */
  readonly columns: readonly (Column<Row> | false)[];
  readonly rows: readonly Row[];
  /** The id of a row, by which a page that refreshes itself keeps the focus where it is. */
  readonly id?: (row: Row) => string;
}

/** A table with a heading for each column. On narrow screens each row is a block with its headings inside. */
export function Table<Row>({ columns, rows, id }: TableProps<Row>) {
  const shown = columns.filter((column) => column !== false);
  return (
    <table>
      <thead>
        <tr>
          {shown.map(({ head, as }) => (
            <th scope="col" class={as === 'number' ? 'n' : ''}>
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        <TableRows columns={shown} rows={rows} {...(id !== undefined && { id })} />
      </tbody>
    </table>
  );
}

/** Rows without their table, for a page that has it already. */
export function TableRows<Row>({ columns, rows, id }: TableProps<Row>) {
  const shown = columns.filter((column) => column !== false);
  return (
    <>
      {rows.map((row) => (
        <tr {...(id !== undefined && { id: id(row) })}>
          {shown.map(({ head, cell, as }) => (
            <td class={classOf(as)} data-head={head}>
              <div>{cell(row)}</div>
            </td>
          ))}
        </tr>
      ))}
    </>
  );
}

function classOf(as: Column<unknown>['as']): string {
  if (as === undefined) return '';
  return as === 'number' ? 'n' : 'mono';
}
