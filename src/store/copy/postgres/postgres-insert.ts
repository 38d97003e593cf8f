/** Inserts copied rows into PostgreSQL, and makes the columns that SQLite lacks. */
import type { JsonValue } from '../../../kernel/json/json.ts';
import { startsOf } from '../../postgres/sql/expressions.ts';
import { encodeParameter } from '../../postgres/sql/text-codec.ts';
import { partsOfState } from '../../state-phases.ts';
import type { ColumnType, CopiedTable } from '../copied-tables.ts';
import { quoted, type Row, type Value } from '../copy-side.ts';
import type { PostgresClient } from './postgres-client.ts';

/** No lease has this number: the deliveries that name it are taken over. */
const NO_LEASE = 0n;

type Column = readonly [name: string, type: ColumnType, values: readonly Value[]];

/** Writes rows in the transaction of the caller. The days of events must be there. */
export async function insertIntoPostgres(
  client: Pick<PostgresClient, 'run'>,
  table: CopiedTable,
  rows: readonly Row[],
): Promise<void> {
  const columns = Object.entries(table.columns).map(([name, type], index): Column => [
    name,
    type,
    rows.map((row) => row[index] ?? null),
  ]);
  if (table.name !== 'events') return insert(client, table.name, [...columns, ...computed(table, columns)]);
  const content = ['headers', 'body'];
  await insert(
    client,
    'events',
    columns.filter(([name]) => !content.includes(name)),
  );
  const bodies = valuesOf(columns, 'body');
  const kept = (values: readonly Value[]) => values.filter((_, index) => bodies[index] !== null);
  await insert(client, 'event_contents', [
    ['event_id', 'integer', kept(valuesOf(columns, 'id'))],
    ['received_at', 'integer', kept(valuesOf(columns, 'received_at'))],
    ['headers', 'text', kept(valuesOf(columns, 'headers'))],
    ['body', 'bytes', kept(bodies)],
  ]);
}

function valuesOf(columns: readonly Column[], wanted: string): readonly Value[] {
  return columns.find(([name]) => name === wanted)?.[2] ?? [];
}

/** The columns of PostgreSQL alone that follow from others. */
function computed({ name }: CopiedTable, columns: readonly Column[]): readonly Column[] {
  if (name === 'machine_states') {
    const states = valuesOf(columns, 'state');
    const phases = states.map((state) =>
      JSON.stringify(partsOfState(JSON.parse(String(state)) as JsonValue)),
    );
    return [['phases', 'text', phases]];
  }
  if (name === 'deliveries') {
    const statuses = valuesOf(columns, 'status');
    return [['holder', 'integer', statuses.map((status) => (status === 'running' ? NO_LEASE : null))]];
  }
  return [];
}

const arrayTypes = { integer: 'bigint', real: 'double precision', text: 'text' } as const;

/** Inserts rows by an array for each column. Bytes travel as one parameter: in an array, they would be hexadecimal. */
async function insert(
  client: Pick<PostgresClient, 'run'>,
  table: string,
  columns: readonly Column[],
): Promise<void> {
  if ((columns[0]?.[2] ?? []).length === 0) return;
  const parameters: unknown[] = [];
  const place = (value: unknown): string => `$${String(parameters.push(value))}`;
  const arrays: string[] = [];
  const names: string[] = [];
  const add = (name: string, array: string): void => {
    names.push(name);
    arrays.push(array);
  };
  const chosen = columns.map(([name, type, values]) => {
    if (type !== 'bytes') {
      add(
        name,
        `${place(type === 'text' ? encodeParameter(values) : literal(values))}::${arrayTypes[type]}[]`,
      );
      return `"${name}"`;
    }
    const parts = values.map((value) => (value instanceof Uint8Array ? value : null));
    const all = place(Buffer.concat(parts.filter((part) => part !== null)));
    add(`${name}_start`, `${place(literal(startsOf(parts)))}::integer[]`);
    add(`${name}_length`, `${place(literal(parts.map((part) => part?.length ?? null)))}::integer[]`);
    return `substring(${all}::bytea from "${name}_start" for "${name}_length")`;
  });
  await client.run(
    `insert into "${table}" (${quoted(columns.map(([name]) => name))})
     select ${chosen.join(', ')} from unnest(${arrays.join(', ')}) as rows (${quoted(names)})`,
    parameters,
  );
}

/** An array of numbers as PostgreSQL writes it. */
function literal(values: readonly (Value | number)[]): string {
  return `{${values.map((value) => (value === null ? 'null' : String(value))).join(',')}}`;
}
