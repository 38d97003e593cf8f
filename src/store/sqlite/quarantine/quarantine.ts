/** Quarantines webhooks that cannot become events, and releases them. */
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { PortariaError } from '../../../kernel/errors.ts';
import type { Quarantining } from '../../inbox.ts';
import type { TransactionPart } from '../commit/batch-commit.ts';
import type { ArrivedRejection } from '../../shared/events/arrival.ts';
import { digestKey } from '../../shared/events/verdict.ts';
import { canonicalDigest } from '../../shared/quarantine/canonical-digest.ts';
import type { Keyed } from '../privacy/keyed-digest.ts';
import type { Connection } from '../sql/connection.ts';
import { rowId, rowOf } from '../../shared/ids.ts';
import { prepare, type Named } from '../sql/statement.ts';
import { problemFingerprint } from '../../shared/quarantine/problem-fingerprint.ts';
import { entryBytes } from '../../shared/quarantine/quarantine-quota.ts';
import { createQuarantineQuota } from './quarantine-quota.ts';

/** Stores rejected deliveries until an operator releases them. Called inside a transaction. */
export interface Quarantine {
  /** The part of the quota that follows transactions. */
  readonly part: TransactionPart;
  /** Quarantines a delivery within the quota, or counts it on an entry with the same bytes and reason. */
  add(rejected: ArrivedRejection): Quarantining;
  /**
   * Finds an entry to release: its row, and its event if it was released before.
   *
   * @throws PortariaError `not-found`
   */
  find(id: string): { readonly row: number; readonly eventId: number | null };
  release(row: number, eventId: number): void;
}

export function createQuarantine(connection: Connection, maxBytes: number, keyed: Keyed): Quarantine {
  const { database, query } = connection;
  const quota = createQuarantineQuota(connection, maxBytes);
  const findRepeated = prepare(
    database,
    (p: Named<{ key: number; digest: Uint8Array; source: string; reason: string; verified: number }>) =>
      query
        .selectFrom('quarantine')
        .select('id')
        .where('digest_key', '=', p.key)
        .where('digest', '=', p.digest)
        .where('source', '=', p.source)
        .where('reason', '=', p.reason)
        // An entry of an unverified sender may be dropped, so it must not stand for a verified one.
        .where('verified', '=', p.verified)
        .where('status', '=', sql.lit('held')),
  );
  // An entry that was erased has a keyed digest. It is found for any reason and after its release.
  const findErased = prepare(
    database,
    (p: Named<{ key: number; digest: Uint8Array; source: string; verified: number }>) =>
      query
        .selectFrom('quarantine')
        .select('id')
        .where('digest_key', '=', p.key)
        .where('digest', '=', p.digest)
        .where('source', '=', p.source)
        .where('verified', '=', p.verified)
        .where('erased', '=', sql.lit(1)),
  );
  const findCanonical = prepare(
    database,
    (p: Named<{ digest: Uint8Array; source: string; verified: number }>) =>
      query
        .selectFrom('quarantine')
        .select('id')
        .where('canonical_digest', '=', p.digest)
        .where('source', '=', p.source)
        .where('verified', '=', p.verified)
        .where('erased', '=', sql.lit(1)),
  );
  const countRepeat = prepare(database, (p: Named<{ id: number; at: number }>) =>
    query
      .updateTable('quarantine')
      // A clock that was set back makes no entry older, which would be pruned too early.
      .set((eb) => ({
        repeats: eb('repeats', '+', 1),
        last_repeat_at: sql<number>`max(coalesce(last_repeat_at, received_at), ${p.at})`,
      }))
      .where('id', '=', p.id),
  );
  const insert = prepare(database, (p: Named<Row>) =>
    query.insertInto('quarantine').values({
      source: p.source,
      status: p.status,
      reason: p.reason,
      kind: p.kind,
      subject: p.subject,
      message: p.message,
      issues: p.issues,
      received_at: p.receivedAt,
      message_id: p.messageId,
      message_trusted: p.messageTrusted,
      digest_key: p.digestKey,
      digest: p.digest,
      headers: p.headers,
      body: p.body,
      verified: p.verified,
      problem: p.problem,
    }),
  );
  const remove = prepare(database, (p: Named<{ id: number }>) =>
    query.deleteFrom('quarantine').where('id', '=', p.id),
  );
  const find = prepare(database, (p: Named<{ id: number }>) =>
    query.selectFrom('quarantine').select('event_id').where('id', '=', p.id),
  );
  const release = prepare(database, (p: Named<{ id: number; eventId: number }>) =>
    query.updateTable('quarantine').set({ status: 'released', event_id: p.eventId }).where('id', '=', p.id),
  );

  /** The original of an erased entry must not come back. */
  function erasedEntry(
    digest: Uint8Array,
    body: Uint8Array,
    of: { readonly source: string; readonly verified: number },
  ) {
    const own = keyed.digest(digest);
    const found = findErased.get({ key: digestKey(own), digest: own, ...of });
    if (found !== undefined) return found;
    const canonical = canonicalDigest(body);
    return canonical === null ? undefined : findCanonical.get({ digest: keyed.digest(canonical), ...of });
  }

  return {
    part: quota.part,
    add(rejected) {
      const { delivery, messageIdTrusted, reason, kind, subject, message, issues } = rejected;
      const digest = createHash('sha256').update(delivery.body).digest();
      const { source } = delivery;
      const verified = delivery.senderVerified ? 1 : 0;
      const known =
        findRepeated.get({ key: digestKey(digest), digest, source, reason, verified }) ??
        (keyed.isInUse() ? erasedEntry(digest, delivery.body, { source, verified }) : undefined);
      if (known !== undefined) {
        countRepeat.run({ id: known.id, at: delivery.receivedAt });
        return { id: rowId('q', known.id), stored: true, repeat: true, dropped: 0 };
      }
      const newcomer = { verified: delivery.senderVerified, reason, bytes: entryBytes(rejected) };
      const { hasRoom, dropped } = quota.makeRoom(newcomer);
      const inserted = insert.run({
        source,
        status: hasRoom ? 'held' : 'dropped',
        reason,
        kind,
        subject,
        message,
        issues,
        receivedAt: delivery.receivedAt,
        messageId: delivery.messageId,
        messageTrusted: messageIdTrusted ? 1 : 0,
        digestKey: digestKey(digest),
        digest,
        headers: delivery.headers,
        body: hasRoom ? delivery.body : NO_BYTES,
        verified,
        problem: problemFingerprint(reason, kind, message, issues),
      });
      const row = Number(inserted.lastInsertRowid);
      const id = rowId('q', row);
      if (hasRoom) return { id, stored: true, repeat: false, dropped };
      // A dropped entry takes a number and leaves no row.
      remove.run({ id: row });
      quota.countDropped(newcomer);
      return { id, stored: false, repeat: false, dropped: 1 };
    },
    find(id) {
      const row = rowOf('q', id);
      const entry = row === undefined ? undefined : find.get({ id: row });
      if (row === undefined || entry === undefined) {
        throw new PortariaError(
          'not-found',
          `there is no quarantine entry ${id}: it never existed, or the quota or retention dropped it`,
        );
      }
      return { row, eventId: entry.event_id };
    },
    release: (row, eventId) => void release.run({ id: row, eventId }),
  };
}

const NO_BYTES = new Uint8Array();

interface Row {
  source: string;
  status: string;
  reason: string;
  kind: string | null;
  subject: string | null;
  message: string;
  issues: string;
  receivedAt: number;
  messageId: string | null;
  messageTrusted: number;
  digestKey: number;
  digest: Uint8Array;
  headers: string;
  body: Uint8Array;
  verified: number;
  problem: string;
}
