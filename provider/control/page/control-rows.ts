/** The rows that the pages of `/control` list. */
import { sql } from 'kysely';
import type { DocumentStatus, IndicationStatus } from '../../indications/indication-tables.ts';
import type { Login } from '../../login/login.ts';
import type { SlipStatus } from '../../payment-slips/slip-rules.ts';
import type { Provider } from '../../provider.ts';
import type { DeliveryStatus, RepeatKind } from '../../webhooks/webhook-tables.ts';

/** The payment slips by what they are for, as in the addresses of the page. */
export type SlipFamily = 'traffic-violations' | 'antt' | 'charges';

/** Rows of a list on one page. */
export const LIMIT = 50;

/** One more row than is shown, so that the page knows whether there are older ones. */
const READ = LIMIT + 1;

type Read = Pick<Provider, 'query'>;

/** Which rows of a list: those with an id below `before`, and with a status if one is given. */
export interface Rows<Status extends string> {
  readonly before: number | null;
  readonly status: Status | undefined;
}

const below = (column: string, before: number | null) =>
  before === null ? sql`1` : sql`${sql.ref(column)} < ${before}`;

/** A webhook on its way to one endpoint. */
export interface DeliveryRow {
  readonly id: number;
  readonly type: string;
  /** Id of the record. */
  readonly record: string;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  readonly failure: string | null;
  readonly repeats: RepeatKind | null;
  readonly recordedAt: string;
  readonly dueAt: string;
  readonly messageId: string;
  readonly url: string;
}

/** Reads webhooks, newest first. A status is a literal: SQLite uses no partial index for a bound value. */
export async function readDeliveries(
  { query }: Read,
  { before, status }: Rows<DeliveryStatus>,
): Promise<readonly DeliveryRow[]> {
  const { rows } = await sql<DeliveryRow>`
    select d.id, e.type, cast(json_extract(e.body, '$.data.id') as text) as record, d.status, d.attempts,
      d.failure, d.repeats, e.created_at as recordedAt, d.due_at as dueAt, p.url,
      'msg_' || p.message_prefix || e.id || iif(d.repeats = 'resigned', 'r' || d.id, '') as messageId
    from webhook_deliveries d
      join webhook_events e on e.id = d.event_id
      join webhook_endpoints p on p.id = d.endpoint_id
    where ${below('d.id', before)} and ${status === undefined ? sql`1` : sql`d.status = ${sql.lit(status)}`}
    order by d.id desc limit ${READ}`.execute(query);
  return rows;
}

/** The login of a company or driver. */
export interface LoginRow extends Pick<Login, 'id' | 'status' | 'step'> {
  readonly kind: 'company' | 'user';
  readonly owner: number;
  readonly name: string | null;
  readonly connected: number;
  /** Time of the next step by itself, ISO 8601; null when none is scheduled. */
  readonly next: string | null;
}

/** Reads logins, newest first. */
export async function readLogins(
  { query }: Read,
  { before, status }: Rows<Login['status']>,
): Promise<readonly LoginRow[]> {
  const { rows } = await sql<LoginRow>`
    select l.id, l.owner_kind as kind, l.owner_id as owner, coalesce(c.name, u.name) as name, l.status, l.step,
      l.connected, s.due_at as next
    from logins l
      left join companies c on l.owner_kind = 'company' and c.id = l.owner_id
      left join users u on l.owner_kind = 'user' and u.id = l.owner_id
      left join scheduled_steps s on s.process = l.owner_kind || '-login' and s.subject_id = l.owner_id
    where ${below('l.id', before)} and ${status === undefined ? sql`1` : sql`l.status = ${status}`}
    order by l.id desc limit ${READ}`.execute(query);
  return rows;
}

/** Counts the logins whose attempt waits for an answer. */
export async function countWaitingLogins({ query }: Read): Promise<number> {
  const { count } = await query
    .selectFrom('logins')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('status', '=', 'processing')
    .executeTakeFirstOrThrow();
  return count;
}

/** A payment slip of any family. */
export interface SlipRow {
  readonly family: SlipFamily;
  readonly id: number;
  /** Name of the company; null while the agency has not named one. */
  readonly company: string | null;
  /** Id of the violation or charge. */
  readonly debt: number;
  readonly status: SlipStatus;
  readonly amount: number | null;
  readonly updatedAt: string;
  readonly next: string | null;
}

/** Where the slips of a family are. */
export const slipFamilies = {
  'traffic-violations': {
    table: 'traffic_violation_tickets',
    debt: 'traffic_violation_id',
    debts: 'traffic_violations',
    process: 'violation-ticket',
    path: '/traffic-violations/tickets',
  },
  antt: {
    table: 'antt_violation_tickets',
    debt: 'antt_violation_id',
    debts: 'antt_violations',
    process: 'antt-ticket',
    path: '/antt/violations/tickets',
  },
  charges: {
    table: 'charge_payment_slips',
    debt: 'charge_id',
    debts: 'charges',
    process: 'charge-slip',
    path: '/charges/payment-slips',
  },
} as const satisfies Record<SlipFamily, object>;

/** Which slips: of one family or of all, those of a company or with an id, and those after a page. */
export interface Slips {
  readonly family: SlipFamily | undefined;
  readonly status: SlipStatus | undefined;
  /** A part of the company's name, or the id of a slip or of a company; empty for any. */
  readonly search: string;
  /** The cursor of the last slip of the page before, as {@link cursorOf} writes it. */
  readonly after: string | null;
}

/** Where a slip is among those of all families: ids alone are those of a family. */
export function cursorOf({ updatedAt, family, id }: SlipRow): string {
  return `${updatedAt} ${family} ${String(id).padStart(15, '0')}`;
}

/** Reads slips, the last to change first. */
export async function readSlips(
  { query }: Read,
  { family, status, search, after }: Slips,
): Promise<readonly SlipRow[]> {
  const named = Object.keys(slipFamilies) as SlipFamily[];
  const slips = named
    .filter((each) => family === undefined || each === family)
    .map((each) => {
      const { table, debt, debts, process } = slipFamilies[each];
      return sql`
        select ${each} as family, t.id, t.${sql.ref(debt)} as debt, t.status, t.amount, t.updated_at as updatedAt,
          s.due_at as next, c.id as companyId, c.name as company
        from ${sql.table(table)} t
          join ${sql.table(debts)} d on d.id = t.${sql.ref(debt)}
          left join companies c on c.id = d.company_id
          left join scheduled_steps s on s.process = ${process} and s.subject_id = t.id`;
    });
  const cursor = sql`updatedAt || ' ' || family || ' ' || printf('%015d', id)`;
  const found = search.trim();
  const { rows } = await sql<SlipRow>`
    select family, id, debt, status, amount, updatedAt, next, company
    from (${sql.join(slips, sql` union all `)})
    where ${status === undefined ? sql`1` : sql`status = ${status}`}
      and ${found === '' ? sql`1` : sql`(cast(id as text) = ${found} or cast(companyId as text) = ${found} or instr(lower(company), lower(${found})) > 0)`}
      and ${after === null ? sql`1` : sql`${cursor} < ${after}`}
    order by ${cursor} desc limit ${READ}`.execute(query);
  return rows;
}

/** An indication with its document. */
export interface IndicationRow {
  readonly id: number;
  readonly violation: number;
  readonly status: IndicationStatus;
  readonly document: DocumentStatus | null;
  /** Signers who have not signed. */
  readonly missing: number;
  readonly updatedAt: string;
}

/** Reads indications, newest first. */
export async function readIndications(
  { query }: Read,
  { before, status }: Rows<IndicationStatus>,
): Promise<readonly IndicationRow[]> {
  const { rows } = await sql<IndicationRow>`
    select i.id, i.traffic_violation_id as violation, i.status, d.status as document, i.updated_at as updatedAt,
      (select count(*) from document_signers g where g.document_id = d.id and g.status = 'pending') as missing
    from traffic_violation_indications i left join signing_documents d on d.indication_id = i.id
    where ${below('i.id', before)} and ${status === undefined ? sql`1` : sql`i.status = ${status}`}
    order by i.id desc limit ${READ}`.execute(query);
  return rows;
}
