/** Quarantines rejected deliveries. */
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Quarantining } from '../../inbox.ts';
import type { ArrivedRejection } from '../../shared/events/arrival.ts';
import { canonicalDigest } from '../../shared/quarantine/canonical-digest.ts';
import { rowId } from '../../shared/ids.ts';
import { problemFingerprint } from '../../shared/quarantine/problem-fingerprint.ts';
import { entryBytes } from '../../shared/quarantine/quarantine-quota.ts';
import { digestKey } from '../../shared/events/verdict.ts';
import { anyErasure } from '../privacy/keyed-digest.ts';
import type { Keyed } from '../../shared/privacy/erased-marks.ts';
import { QUARANTINED_BYTES_LOCK } from '../sql/advisory-locks.ts';
import { sequenceOf, unnestOf } from '../sql/expressions.ts';
import type { Session } from '../sql/session.ts';
import { createQuota } from './quota.ts';

/** A rejected delivery, and the digest of its bytes. */
interface Rejection {
  readonly rejected: ArrivedRejection;
  readonly digest: Uint8Array;
  readonly verified: number;
}

/** Quarantines rejected deliveries within the quota, one after the other, or counts each on an entry with the same bytes and reason. */
export async function quarantineDeliveries(
  session: Session,
  arrivals: readonly ArrivedRejection[],
  { keyed, maxBytes }: { readonly keyed: Keyed; readonly maxBytes: number },
): Promise<readonly Quarantining[]> {
  if (arrivals.length === 0) return [];
  const rejections = arrivals.map((rejected) => ({
    rejected,
    digest: createHash('sha256').update(rejected.delivery.body).digest(),
    verified: rejected.delivery.senderVerified ? 1 : 0,
  }));
  await lockBytes(session, rejections);
  const stored = await findRepeated(session, rejections);
  const erased = (await anyErasure(session)) ? keyed : undefined;
  const quota = createQuota(session, maxBytes);
  const outcomes: Quarantining[] = [];
  for (const rejection of rejections) {
    const key = entryKey(rejection);
    const row = stored.get(key);
    const known =
      (row !== undefined && !quota.hasDropped(row) ? row : undefined) ??
      (erased && (await erasedEntry(session, erased, rejection)));
    outcomes.push(
      known === undefined
        ? await add(rejection, (id) => void stored.set(key, id))
        : await countRepeat(session, known, rejection),
    );
  }
  await quota.write();
  return outcomes;

  async function add(rejection: Rejection, onStored: (id: number) => void): Promise<Quarantining> {
    const { rejected, verified } = rejection;
    const { reason } = rejected;
    const newcomer = { verified: verified === 1, reason, bytes: entryBytes(rejected) };
    const { hasRoom, dropped } = await quota.makeRoom(newcomer);
    if (!hasRoom) {
      // A dropped entry takes a number and leaves no row.
      quota.countDropped(newcomer);
      const number = await drawNumber(session);
      return { id: rowId('q', number), stored: false, repeat: false, dropped: 1 };
    }
    const row = await insert(session, rejection);
    quota.countStored(newcomer);
    onStored(row);
    return { id: rowId('q', row), stored: true, repeat: false, dropped };
  }
}

async function countRepeat(
  session: Session,
  row: number,
  { rejected: { delivery } }: Rejection,
): Promise<Quarantining> {
  // A clock that was set back makes no entry older, which would be pruned too early.
  await session.run(sql`
    update quarantine set repeats = repeats + 1,
      last_repeat_at = greatest(last_repeat_at, received_at, ${delivery.receivedAt}::bigint) where id = ${row}`);
  return { id: rowId('q', row), stored: true, repeat: true, dropped: 0 };
}

/** The bytes that an entry stands for. An entry of an unverified sender may be dropped, so it must not stand for a verified one. */
function entryKey({ rejected, digest, verified }: Rejection): string {
  return JSON.stringify([
    rejected.delivery.source,
    rejected.reason,
    verified,
    Buffer.from(digest).toString('hex'),
  ]);
}

/** Two processes must not quarantine the same bytes at once. */
async function lockBytes(session: Session, rejections: readonly Rejection[]): Promise<void> {
  const keys = rejections.map(({ digest }) => Buffer.from(digest).readInt32BE(0));
  const sorted = [...new Set(keys)].toSorted((one, other) => one - other);
  await session.run(sql`
    select pg_advisory_xact_lock(${QUARANTINED_BYTES_LOCK}, key)
    from ${unnestOf('keys', sorted, { key: ['integer', (key) => key], place: 'place' })} order by place`);
}

async function findRepeated(
  session: Session,
  rejections: readonly Rejection[],
): Promise<Map<string, number>> {
  const rows = await session.rows(sql<{ id: number; n: number }>`
    select quarantine.id, n
    from ${unnestOf('wanted', rejections, {
      key: ['bigint', ({ digest }) => digestKey(digest)],
      digest: ['bytea', ({ digest }) => digest],
      source: ['text', ({ rejected }) => rejected.delivery.source],
      reason: ['text', ({ rejected }) => rejected.reason],
      verified: ['smallint', ({ verified }) => verified],
      n: 'place',
    })}
    join quarantine on quarantine.digest_key = wanted.key and quarantine.digest = wanted.digest
      and quarantine.source = wanted.source and quarantine.reason = wanted.reason
      and quarantine.verified = wanted.verified and quarantine.status = 'held'
    order by quarantine.id for update of quarantine`);
  const stored = new Map<string, number>();
  for (const { id, n } of rows) {
    const rejection = rejections[n - 1];
    if (rejection !== undefined) stored.set(entryKey(rejection), id);
  }
  return stored;
}

/** The original of an erased entry must not come back. It is found for any reason and after its release. */
async function erasedEntry(
  session: Session,
  keyed: Keyed,
  { rejected: { delivery }, digest, verified }: Rejection,
): Promise<number | undefined> {
  const own = keyed.digest(digest);
  const canonical = canonicalDigest(delivery.body);
  const found = await session.first(sql<{ id: number }>`
    select id from quarantine
    where source = ${delivery.source} and verified = ${verified} and erased = 1
      and ((digest_key = ${digestKey(own)} and digest = ${own})
        or canonical_digest = ${canonical === null ? null : keyed.digest(canonical)})
    order by id limit 1`);
  return found?.id;
}

async function drawNumber(session: Session): Promise<number> {
  const row = await session.first(sql<{ id: number }>`select nextval(${sequenceOf('quarantine')}) as id`);
  return row?.id ?? 0;
}

async function insert(session: Session, { rejected, digest, verified }: Rejection): Promise<number> {
  const { delivery, messageIdTrusted, reason, kind, subject, message, issues } = rejected;
  const row = await session.first(sql<{ id: number }>`
    insert into quarantine (
      source, status, reason, kind, message, issues, received_at, message_id, message_trusted, digest_key, digest,
      headers, body, verified, problem, subject
    )
    values (
      ${delivery.source}, 'held', ${reason}, ${kind}, ${message}, ${issues}, ${delivery.receivedAt},
      ${delivery.messageId}, ${messageIdTrusted ? 1 : 0}, ${digestKey(digest)}, ${digest}, ${delivery.headers},
      ${delivery.body}, ${verified}, ${problemFingerprint(reason, kind, message, issues)}, ${subject}
    )
    returning id`);
  return row?.id ?? 0;
}
