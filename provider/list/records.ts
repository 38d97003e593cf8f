/** Reads the records of a resource: one by its id, those of another record, a page of a list. */
import {
  sql,
  type AliasedExpression,
  type Compilable,
  type Expression,
  type Kysely,
  type QueryExecutorProvider,
  type SqlBool,
} from 'kysely';
import type { Condition } from '../../src/contract/api/filter.ts';
import type { Page } from '../../src/contract/api/response.ts';
import type { Table, TablesOf } from '../database/table.ts';
import type { HttpError } from '../http/http-error.ts';
import { matching, type FilterColumns } from './matching.ts';
import { readPage, type PageResponse } from './read-page.ts';

/** A connection or a transaction. Descriptions know their own tables only. */
export type Connection = QueryExecutorProvider;

/** Webhooks carry the CNPJ of the company, responses do not (specification, Resources, ANTT violation and Charge). */
export type Audience = 'response' | 'webhook';

/** What a list is asked for. */
export interface ListRequest {
  readonly organization: number;
  readonly conditions: readonly Condition[];
  readonly page: Page;
}

type Named = readonly [Table, ...Table[]];
type In<Tables extends Named> = TablesOf<Tables[number]>;

/** What is needed of Kysely's query builder, whatever it joins. */
interface Selection<Row> {
  where(condition: Expression<SqlBool>): Selection<Row>;
  orderBy(column: Expression<unknown>): Selection<Row>;
  select(column: AliasedExpression<number, 'id'>): Compilable;
  execute(): Promise<Row[]>;
}

interface Converts<Row, Json> {
  /** The error without the record. */
  missing(this: void, id: number | string): HttpError;
  /** Converts a row to the record that responses and webhooks carry. */
  json(this: void, row: Row, audience: Audience): Json;
}

interface Description<Tables extends Named, Row, Json> extends Converts<Row, Json> {
  /** The table of the records, then those that are joined. */
  readonly tables: Tables;
  /** The integer column that orders the records; `id` by default. */
  readonly key?: string;
  /** Selects the columns of the record, of every organization. */
  select(query: Kysely<In<Tables>>): Selection<Row>;
  /** The column of each filter of the list. */
  readonly filters?: FilterColumns;
  /** Selects from the table for the list, joined with what its filters need; by default without a join. */
  list?(
    query: Kysely<In<Tables>>,
    request: Pick<ListRequest, 'organization' | 'conditions'>,
  ): Selection<object>;
}

/** Reads records of an organization. Those of others do not exist for it. */
export interface Records<Row, Json> extends Converts<Row, Json> {
  find(query: Connection, organization: number, id: number): Promise<Row | undefined>;
  /** @throws HttpError without the record. */
  row(query: Connection, organization: number, id: number): Promise<Row>;
  /** Reads the rows with one of these values in a column of the table, in the order of their keys. */
  rows(
    query: Connection,
    organization: number,
    column: keyof Row & string,
    values: readonly (number | string)[],
  ): Promise<readonly Row[]>;
  /** Reads one record for a response or a webhook. @throws HttpError without the record. */
  read(query: Connection, organization: number, id: number, audience?: Audience): Promise<Json>;
  /** Reads the records that have the id of another one in `column`, oldest first. */
  of(query: Connection, organization: number, column: keyof Row & string, id: number): Promise<Json[]>;
  page(query: Connection, request: ListRequest): Promise<PageResponse<Json>>;
}

/** The rows that are read. */
export type RowOf<Read> = Read extends Records<infer Row, unknown> ? Row : never;

/** Describes the records of a resource. */
export function records<const Tables extends Named, Row, Json>(
  description: Description<Tables, Row, Json>,
): Records<Row, Json> {
  const { tables, filters = {} } = description;
  const [{ name }] = tables;
  // Kysely's builder relates no column to the type parameter.
  const key = (description.key ?? 'id') as keyof Row & string;
  const keyColumn = sql.ref<number>(`${name}.${key}`);
  const organizationColumn = sql.ref(`${name}.organization_id`);

  const rows: Records<Row, Json>['rows'] = (query, organization, column, values) =>
    description
      .select(query as Kysely<In<Tables>>)
      // The unary plus keeps SQLite from reading all records of the organization by an index of it.
      .where(sql<SqlBool>`+${organizationColumn} = ${organization}`)
      .where(sql<SqlBool>`${sql.ref(`${name}.${column}`)} in ${valuesOf(values)}`)
      .orderBy(keyColumn)
      .execute();
  const find: Records<Row, Json>['find'] = async (query, organization, id) =>
    (await rows(query, organization, key, [id]))[0];
  const row: Records<Row, Json>['row'] = async (query, organization, id) => {
    const found = await find(query, organization, id);
    if (found === undefined) throw description.missing(id);
    return found;
  };
  const inResponse = (found: readonly Row[]) => found.map((each) => description.json(each, 'response'));
  return {
    missing: description.missing,
    json: description.json,
    find,
    row,
    rows,
    read: async (query, organization, id, audience = 'response') =>
      description.json(await row(query, organization, id), audience),
    of: async (query, organization, column, id) => inResponse(await rows(query, organization, column, [id])),
    page(query, { organization, conditions, page }) {
      const all = query as Kysely<In<Tables>>;
      const listed: Selection<object> =
        description.list?.(all, { organization, conditions }) ?? all.selectFrom(name);
      const ids = listed
        .where(sql<SqlBool>`${organizationColumn} = ${organization}`)
        .where(matching(conditions, filters))
        .select(keyColumn.as('id'));
      return readPage(
        query,
        { ids, rows: async (keys) => inResponse(await rows(query, organization, key, keys)) },
        page,
      );
    },
  };
}

/** The values as one parameter: the statement has one text for any number of them, so it stays prepared. */
function valuesOf(values: readonly (number | string)[]) {
  return sql`(select value from json_each(${JSON.stringify(values)}))`;
}
