/** Decides how a subject differs from its record at the provider. */
import { ClientError } from '../client/client-error.ts';
import { PortariaError } from '../kernel/errors.ts';
import type { Client } from '../client/client.ts';
import { recordReaders } from '../confirm/read-record.ts';
import type { Contract } from '../contract/contract.ts';
import type { Family } from '../contract/family.ts';
import { versionRules } from '../contract/version-rules.ts';
import type { EventRecord } from '../event/stored-event.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../kernel/json/json.ts';
import { eachPage } from '../kernel/row-pages.ts';
import type { Queries } from '../store/queries.ts';
import { payloadIn, recordDifferences, type FieldDifference } from './record-differences.ts';
import { recordId } from './record-lists.ts';

/**
 * How a subject differs:
 *
 * - `missed`: the provider has it, and no webhook of it ever came.
 * - `behind`: the provider's record is newer than the newest event.
 * - `removed`: the provider no longer has it, and no webhook said so.
 * - `withheld`: the provider does not show it (403), for example because its user's link is inactive.
 * - `overtaken`: an event of it came while the provider was read; the next look tells.
 * - `ahead`: the newest event is newer than the record, also when asked again.
 * - `unknown`: its newest event has no content to compare with: it was pruned, or a person was erased from it.
 */
export type Difference = 'missed' | 'behind' | 'removed' | 'withheld' | 'overtaken' | 'ahead' | 'unknown';

export interface SubjectDifference {
  /** `family:id`. */
  readonly subject: string;
  readonly outcome: Difference;
  /** Those that differ; empty for all but `behind` and `ahead`. */
  readonly fields: readonly FieldDifference[];
  /** When the provider changed it, as it says. */
  readonly changedAt: string | null;
  /** The id of the newest event. */
  readonly event: string | null;
}

/** The list was not read to its end, or changed while it was read: nothing is known of the family. */
export class LookFailed extends Error {
  override readonly name = 'LookFailed';
}

export interface JudgeDeps {
  readonly client: Client;
  readonly store: Pick<Queries, 'events' | 'event'>;
  readonly contract: Pick<Contract, 'dataOf'>;
  readonly source: string;
  /** Called before each request. */
  readonly pace: () => Promise<void>;
  readonly signal: AbortSignal;
}

/** A subject as both sides have it. */
export interface Judged {
  readonly difference: SubjectDifference | null;
  /** The provider's; null where it has none, or does not show it. */
  readonly record: JsonObject | null;
  readonly latest: EventRecord | undefined;
  /** The content of the latest event; null where there is none. */
  readonly data: JsonObject | null;
}

/** Compares the subjects of a family. */
export interface Judge {
  /** Whether an event has the content of a record, without a question to the provider. */
  isEqual(event: string, record: JsonObject): Promise<boolean>;
  /**
   * Decides by the record and the events as they are now: the events first, so that the record is no older.
   *
   * @param listed the record as it was listed
   * @throws LookFailed, ClientError
   */
  judge(id: string, listed?: JsonObject): Promise<Judged>;
}

/** Events of a subject that are read at once to find its latest: late ones may have come after it. */
const NEWEST = 20;

/** @param startedAt when the provider was first read, in milliseconds since 1970 */
export function createJudge(deps: JudgeDeps, family: Family, startedAt: number): Judge {
  const { store, source, client, contract, pace, signal } = deps;

  /** An event with its payload; null when there is nothing to compare. */
  async function contentOf(
    id: string,
  ): Promise<{ readonly event: EventRecord; readonly data: JsonObject | null }> {
    const event = await store.event(id);
    if (event === null) throw new LookFailed(`event ${id} is not stored any more`);
    const isWhole = event.body !== null && !event.flags.includes('erased');
    const data = isWhole ? payloadIn(contract, source, event.body) : undefined;
    return { event, data: isJsonObject(data) ? data : null };
  }

  async function latestOf(id: string): Promise<EventRecord | undefined> {
    const of = { source, subject: { family, id } };
    const pages = eachPage((page) => store.events(of, { order: 'newest', ...page }), { limit: NEWEST });
    for await (const found of pages) {
      const latest = found.find(({ verdict, flags }) => verdict !== 'stale' && !flags.includes('superseded'));
      if (latest !== undefined) return latest;
    }
    return undefined;
  }

  async function readAgain(
    id: string,
    data: JsonValue,
  ): Promise<JsonObject | 'removed' | 'withheld' | 'refused'> {
    await pace();
    signal.throwIfAborted();
    try {
      const record = await recordReaders[family]?.(client, { subject: { id }, data }, { signal });
      if (record === undefined) return 'removed';
      // With nothing in common, it would be equal to anything.
      if (!isJsonObject(record) || recordId(record) !== id)
        throw new LookFailed(`the provider sent something else for ${family}:${id}`);
      return record;
    } catch (error) {
      if (ClientError.is(error, 'not-found')) return 'removed';
      if (ClientError.is(error, 'forbidden')) return 'withheld';
      // The client asks for no id that would name another path.
      if (PortariaError.is(error, 'invalid-argument')) return 'refused';
      throw error;
    }
  }

  const versionOf = (record: JsonObject): string | null => versionRules[family](`${family}.updated`, record);

  return {
    async isEqual(id, record) {
      const { event, data } = await contentOf(id);
      return data !== null && !isDeletion(event) && recordDifferences(family, data, record).length === 0;
    },
    async judge(id, listed) {
      const latest = await latestOf(id);
      const known = latest === undefined ? undefined : await contentOf(latest.id);
      const isComparable = known === undefined || known.data !== null || known.event.version !== null;
      const record =
        listed !== undefined && !isComparable ? listed : await readAgain(id, known?.data ?? listed ?? null);
      const data = known?.data ?? null;
      function judged(difference: SubjectDifference | null): Judged {
        return { difference, record: typeof record === 'string' ? null : record, latest, data };
      }
      function differs(outcome: Difference, fields: readonly FieldDifference[] = []): Judged {
        const changedAt = typeof record === 'string' ? null : changeTime(record);
        return judged({ subject: `${family}:${id}`, outcome, fields, changedAt, event: latest?.id ?? null });
      }

      if (record === 'withheld') return differs('withheld');
      if (record === 'refused') return differs('unknown');
      if (record === 'removed')
        return latest === undefined || isDeletion(latest) ? judged(null) : differs('removed');
      if (known === undefined) return differs('missed');
      const { event } = known;
      const [ours, theirs] = [event.version, versionOf(record)];
      if (data === null) return ours !== null && ours === theirs ? judged(null) : differs('unknown');
      const fields = recordDifferences(family, data, record);
      if (fields.length === 0 && !isDeletion(event)) return judged(null);
      if (event.receivedAt >= startedAt) return differs('overtaken');
      const isAhead = ours !== null && theirs !== null && theirs < ours;
      return differs(isAhead ? 'ahead' : 'behind', fields);
    },
  };
}

/** An event that says that its record is gone (`console-user.deleted`). */
function isDeletion({ kind }: Pick<EventRecord, 'kind'>): boolean {
  return kind.endsWith('.deleted');
}

export function changeTime(record: JsonObject): string | null {
  const at = record['updated_at'] ?? record['synced_at'];
  return typeof at === 'string' ? at : null;
}
