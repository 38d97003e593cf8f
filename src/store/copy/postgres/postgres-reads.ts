/** Reads the rows of a store in PostgreSQL for a copy. */
import { copiedTables, type CopiedTable } from '../copied-tables.ts';
import {
  PAGE_BYTES,
  PAGE_ROWS,
  quoted,
  type CopyReads,
  type Key,
  type Row,
  type Value,
} from '../copy-side.ts';
import type { PostgresClient } from './postgres-client.ts';
import { FAILURE_GROUPS } from '../../postgres/failures/failure-changes.ts';
import { PRUNED_AT } from '../../postgres/retention/pruned-at.ts';
import { encodeParameter } from '../../postgres/sql/text-codec.ts';
import { sumsQuery } from '../table-sums.ts';

export function createPostgresReads({ rows }: Pick<PostgresClient, 'rows'>): CopyReads {
  async function page(table: CopiedTable, after: Key | null): Promise<readonly Row[]> {
    if (table.name === 'events') return eventsPage(table, after);
    const key = quoted(table.key);
    const names = Object.keys(table.columns);
    const from = table.name === 'failure_groups' ? FAILURE_GROUPS : quoted([table.name]);
    const found = `select * from ${from} ${fromKey(table, after)} order by ${key} limit ${String(PAGE_ROWS)}`;
    const values = (after ?? []).map(parameter);
    if (table.long === undefined)
      return rows(`select ${expressions(table, names)} from (${found}) as page order by ${key}`, values);
    const size = table.long.map((column) => `coalesce(octet_length("${column}"), 0)`).join(' + ');
    return rows(
      `select ${expressions(table, names)} from (
         select *, sum(${size}) over (order by ${key}) - (${size}) as bytes_before from (${found}) as page
       ) as page where bytes_before < ${String(PAGE_BYTES)} order by ${key}`,
      values,
    );
  }

  /** Headers and bodies are read by the times of their events, so that only their days are looked into. */
  async function eventsPage(table: CopiedTable, after: Key | null): Promise<readonly Row[]> {
    const names = Object.keys(table.columns).filter((column) => column !== 'headers' && column !== 'body');
    const chosen = names.map((name) => (name === 'pruned_at' ? PRUNED_AT : quoted([name])));
    const events = await rows(
      `select ${chosen.join(', ')} from events ${fromKey(table, after)} order by id limit ${String(PAGE_ROWS)}`,
      (after ?? []).map(parameter),
    );
    const receivedAt = names.indexOf('received_at');
    const contents = await rows(
      `select event_id, headers, case when bytes_before < $3 then body end, bytes_before >= $3 from (
         select event_id, headers, body,
           sum(octet_length(body)) over (order by event_id) - octet_length(body) as bytes_before
         from event_contents where event_id = any($1::bigint[]) and received_at = any($2::bigint[])
       ) as contents order by event_id`,
      [
        events.map(([id]) => String(id)),
        [...new Set(events.map((event) => String(event[receivedAt])))],
        PAGE_BYTES,
      ],
    );
    const contentOf = new Map(
      contents.map(([id, headers, body]) => [id, [headers, body] as readonly Value[]]),
    );
    const cut = contents.find(([, , , isBeyond]) => String(isBeyond) === 't')?.[0];
    const end = cut === undefined ? events.length : events.findIndex(([id]) => id === cut);
    return events.slice(0, end).map((event) => {
      const [headers = '{}', body = null] = contentOf.get(event[0] ?? null) ?? [];
      return [...event, headers, body];
    });
  }

  return {
    async count({ name }) {
      const [row] = await rows(`select count(*) from "${name}"`);
      return Number(row?.[0] ?? 0);
    },
    page,
    sums: (table) => rows(sumsQuery(table)),
    async lastNumbers() {
      const names = copiedTables.flatMap(({ name, numbered }) =>
        numbered === undefined || name === 'audit' ? [] : [name],
      );
      const found = await rows(
        `select name, coalesce(pg_sequence_last_value(pg_get_serial_sequence(name, 'id')::regclass), 0)
         from unnest($1::text[]) as tables (name)
         union all select 'audit', last from audit_start`,
        [names],
      );
      return new Map(found.map(([name, last]) => [String(name), BigInt(String(last))]));
    },
  };
}

function fromKey({ key }: CopiedTable, after: Key | null): string {
  if (after === null) return '';
  return `where (${quoted(key)}) > (${key.map((_, index) => `$${String(index + 1)}`).join(', ')})`;
}

/** A whole number of milliseconds is stored as `double precision`. */
function expressions({ columns }: CopiedTable, names: readonly string[]): string {
  return names.map((name) => (columns[name] === 'integer' ? `"${name}"::bigint` : `"${name}"`)).join(', ');
}

function parameter(value: bigint | string): unknown {
  return typeof value === 'bigint' ? String(value) : encodeParameter(value);
}
