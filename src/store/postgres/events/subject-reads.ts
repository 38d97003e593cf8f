/** Lists subjects for operators, and finds those of a company. */
import { companyFamilies } from '../../../event/subject.ts';
import { Buffer } from 'node:buffer';
import { sql, type RawBuilder } from 'kysely';
import { memberAt, type JsonValue } from '../../../kernel/json/json.ts';
import { parseJson } from '../../../kernel/json/parse-json.ts';
import type { Queries, SubjectFilter } from '../../queries.ts';
import { sourceSubject, rowsOfSubjects, type SubjectRow } from '../../shared/events/event-conditions.ts';
import type { Connection } from '../sql/connection.ts';
import { postgresDialect } from '../sql/dialect.ts';
import { isAnyOf, unnestOf } from '../sql/expressions.ts';
import { isOfDays } from './content-days.ts';

/** Text that a body has if it names a company or the violation of a slip. Most others need not be read. */
const COMPANY = '"company"';
const VIOLATION = '_violation"';
/** An escape can spell anything. */
const ESCAPE = '\\';

/** Events whose bodies one statement searches. */
const SEARCHED = 1_000;

/** Events that are walked for a page of subjects, before all subjects are sorted. */
const WALKED = 8_000;

/** Reads subjects for operators. */
export function createSubjectReads({ read, ids }: Connection): Pick<Queries, 'subjects' | 'companySubjects'> {
  /** The newest events whose bodies may name the company, or a violation. */
  async function* newestBodies(company: string, above: number): AsyncGenerator<readonly NamingBody[]> {
    const has = (text: string) => sql`position(${Buffer.from(text)}::bytea in body) > 0`;
    for (let below: number | null = null; ;) {
      const window: Window | undefined = await read.first(sql<Window>`
        select min(id) as from, json_agg(distinct received_at / 86400000 * 86400000) as times from (
          select id, received_at from events
          where id > ${above} and ${below === null ? sql`true` : sql`id < ${below}`}
          order by id desc limit ${SEARCHED}
        ) as newest`);
      if (window?.from == null) return;
      yield await read.rows(sql<NamingBody>`
        select events.subject_id as "subjectId", body
        from events join event_contents
          on event_contents.event_id = events.id and event_contents.received_at = events.received_at
        where events.id >= ${window.from} and ${below === null ? sql`true` : sql`events.id < ${below}`}
          and ${isOfDays('event_contents.received_at', window.times)}
          and (${has(VIOLATION)} or (${has(COMPANY)} and (${has(company)} or ${has(ESCAPE)})))`);
      below = window.from;
    }
  }

  /** Finds the latest events of subjects among so many of the newest events. */
  async function latestAmong({ filter, limit, below }: Page, walked: number): Promise<readonly number[]> {
    const rows = await read.rows(sql<{ id: number }>`
      select events.id from (
        select id, subject_id, received_at from events where id < ${below} order by id desc limit ${walked}
      ) as events
      where ${timeCondition(filter)} and (
        select true from subjects
        where subjects.id = events.subject_id and subjects.latest_event = events.id and ${subjectCondition(filter)}
      ) is true
      order by events.id desc limit ${limit}`);
    return rows.map(({ id }) => id);
  }

  /** Finds the newest of the latest events of all subjects. */
  async function latestOfAll({ filter, limit, below }: Page): Promise<readonly number[]> {
    const isTimed = filter.since !== undefined || filter.until !== undefined;
    const events = sql`
      join events on events.id = subjects.latest_event and events.subject_id = subjects.id
        and ${timeCondition(filter)}`;
    const rows = await read.rows(sql<{ id: number }>`
      select latest_event as id from subjects ${isTimed ? events : sql``}
      where latest_event < ${below} and ${subjectCondition(filter)}
      order by latest_event desc limit ${limit}`);
    return rows.map(({ id }) => id);
  }

  return {
    // In the order of events, so that a page reads a few of them, however many subjects there are.
    async subjects(filter, { limit, after }) {
      const from = after === undefined ? undefined : ids.eventRow(after);
      if (after !== undefined && from === undefined) return [];
      const page = { filter, limit, below: from ?? Number.MAX_SAFE_INTEGER };
      let latest = await latestAmong(page, WALKED);
      // Few of the events before them are the latest of a subject: all subjects are sorted instead.
      if (latest.length < limit) latest = await latestOfAll(page);
      const rows = await read.rows(sql<ListedSubject>`
        select events.id, events.kind, events.received_at, subjects.source, subjects.family, subjects.entity,
          (select count(*) from events as each where each.subject_id = subjects.id) as events
        from events join subjects on subjects.id = events.subject_id
        where ${isAnyOf('events.id', latest, 'bigint')} order by events.id desc`);
      return rows.map((row) => ({
        id: ids.event(row.id),
        ...sourceSubject(row),
        kind: row.kind,
        receivedAt: row.received_at,
        events: row.events,
      }));
    },
    async companySubjects(company, newest) {
      const oldest = await read.first(sql<{ id: number }>`
        select id from events order by id desc offset ${newest} limit 1`);
      const own = new Set<number>();
      const slips: Slip[] = [];
      for await (const bodies of newestBodies(company, oldest?.id ?? 0))
        for (const { subjectId, body } of bodies) {
          const named = namesIn(body);
          if (named.company === company) own.add(subjectId);
          if (named.violation !== null) slips.push({ subjectId, ...named.violation });
        }
      const rows = await read.rows(sql<SubjectRow>`
        with own as materialized (
          select id from subjects where ${isAnyOf('family', companyFamilies, 'text')} and entity = ${company}
          union select id from ${unnestOf('named', [...own], { id: ['bigint', (id) => id] })}
        ), slips as (
          select slip.id
          from ${unnestOf('named', slips, {
            id: ['bigint', ({ subjectId }) => subjectId],
            family: ['text', ({ family }) => family],
            entity: ['text', ({ entity }) => entity],
          })}
          join subjects as slip on slip.id = named.id
          join subjects as violation on violation.source = slip.source
            and violation.family = named.family and violation.entity = named.entity
          where violation.id in (select id from own)
        )
        select source, family, entity from subjects
        where id in (select id from own union select id from slips) order by id`);
      return { subjects: rows.map(sourceSubject), partial: oldest !== undefined };
    },
  };
}

/** A page of subjects, by the numbers of their latest events. */
interface Page {
  readonly filter: SubjectFilter;
  readonly limit: number;
  readonly below: number;
}

function subjectCondition({ family, source, subjects }: SubjectFilter): RawBuilder<boolean> {
  const all: RawBuilder<boolean>[] = [sql`true`];
  // The second condition is that of the index.
  if (family !== undefined)
    all.push(sql`subjects.family = ${family} and name_key(subjects.family) = name_key(${family})`);
  if (source !== undefined) all.push(sql`subjects.source = ${source}`);
  if (subjects !== undefined)
    all.push(sql`subjects.id = any(array(${rowsOfSubjects(subjects, postgresDialect)}))`);
  return sql`${sql.join(all, sql` and `)}`;
}

function timeCondition({ since, until }: SubjectFilter): RawBuilder<boolean> {
  const all: RawBuilder<boolean>[] = [sql`true`];
  if (since !== undefined) all.push(sql`events.received_at >= ${since}`);
  if (until !== undefined) all.push(sql`events.received_at < ${until}`);
  return sql`${sql.join(all, sql` and `)}`;
}

/** Part of the log to search. */
interface Window {
  readonly from: number | null;
  /** One of each day. */
  readonly times: readonly number[];
}

interface NamingBody {
  readonly subjectId: number;
  readonly body: Buffer;
}

/** A slip, and the violation that it is for. */
interface Slip {
  readonly subjectId: number;
  readonly family: string;
  readonly entity: string;
}

interface ListedSubject extends SubjectRow {
  readonly id: number;
  readonly kind: string;
  readonly received_at: number;
  readonly events: number;
}

/** The company and the violation that a body names. */
function namesIn(body: Buffer): {
  readonly company: string | null;
  readonly violation: Omit<Slip, 'subjectId'> | null;
} {
  let content: JsonValue;
  try {
    content = parseJson(body.toString('utf8'));
  } catch {
    return { company: null, violation: null };
  }
  const id = (...path: readonly string[]) => textAt(content, ['data', ...path, 'id']);
  const traffic = id('traffic_violation');
  const antt = id('antt_violation');
  return {
    company: id('company') ?? id('charge', 'company'),
    violation:
      traffic !== null
        ? { family: 'traffic-violation', entity: traffic }
        : antt === null
          ? null
          : { family: 'antt-violation', entity: antt },
  };
}

/** The text or number at a path of members, as text; null when there is none. */
function textAt(value: JsonValue, path: readonly string[]): string | null {
  const found = memberAt(value, path);
  return typeof found === 'string' || typeof found === 'number' ? String(found) : null;
}
