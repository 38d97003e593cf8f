import type { Child } from 'hono/jsx';

/** One column of a table. */
export interface Column<Row> {
  readonly head: string;
  readonly cell: (row: Row) => Child;
  /** `number` aligns to the right; `code` uses the fixed-width face. */
  readonly as?: 'number' | 'code';
}

interface TableProps<Row> {
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
}

/** A table with a heading for each column. On narrow screens each row is a block with its headings inside. */
export function Table<Row>({ columns, rows }: TableProps<Row>) {
  return (
    <table>
      <thead>
        <tr>
          {columns.map(({ head, as }) => (
            <th scope="col" class={classOf(as)}>
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr>
            {columns.map(({ head, cell, as }) => (
              <td class={classOf(as)} data-head={head}>
                <div>{cell(row)}</div>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function classOf(as: Column<unknown>['as']): string {
  if (as === undefined) return '';
  return as === 'number' ? 'n' : 'mono';
}
