/** What an operator sees of events and entries of the quarantine beside their bodies. */
import type { World } from '../world/world.ts';
import { violated } from './violation.ts';

interface EventDetails {
  readonly id: number;
  readonly kind: string;
  readonly version: string | null;
  readonly flags: string;
  readonly verdict: string;
  readonly receivedAt: number;
  readonly message: string | null;
  readonly headers: string;
  readonly subject: string;
  readonly pruned: number | null;
}

interface EntryRow {
  readonly id: number;
  readonly status: string;
  readonly event: number | null;
  readonly repeats: number;
  readonly lastRepeatAt: number | null;
  readonly receivedAt: number;
}

export function lookAtContents({ rows, identity }: World): void {
  const { select } = rows;
  if (select === undefined) return;
  const events =
    select<EventDetails>(`select events.id, kind, version, flags, verdict, received_at as "receivedAt",
    message_id as message, headers, source || ' ' || family || ':' || entity as subject, pruned_at as pruned
    from events join subjects on subjects.id = subject_id order by events.id`);
  for (const row of events) {
    const sent = identity.events[row.id - 1]?.sent;
    if (sent === undefined) continue;
    const { kind, subject, version, message, at } = sent;
    const wrong = (what: string): Error => violated('contents', `event ${row.id} has ${what}`, row);
    if (row.kind !== kind || row.subject !== subject) throw wrong('another kind or subject');
    if (row.receivedAt !== at) throw wrong(`arrived at ${row.receivedAt}, expected ${at}`);
    if (row.version?.slice(0, 19) !== version?.slice(0, 19)) throw wrong('another version');
    const flags = JSON.parse(row.flags) as readonly string[];
    if (flags.includes('ambiguous') !== (row.verdict === 'ambiguous')) throw wrong(`the flags ${row.flags}`);
    if (flags.includes('erased')) continue;
    if (message !== null && row.message !== message) throw wrong(`the message id ${row.message ?? 'null'}`);
    if (row.pruned === null && !row.headers.includes('webhook-id')) throw wrong('no header of its id');
  }
  const entries =
    select<EntryRow>(`select id, status, event_id as event, repeats, last_repeat_at as "lastRepeatAt",
    received_at as "receivedAt" from quarantine order by id`);
  for (const row of entries) {
    const { id, status, event, repeats, lastRepeatAt } = row;
    if ((status === 'released') !== (event !== null))
      throw violated('quarantine', `q${id} is ${status} and event ${event ?? 'none'}`, row);
    if (repeats > 0 !== (lastRepeatAt !== null))
      throw violated(
        'quarantine',
        `q${id} came ${repeats} times again, the last at ${lastRepeatAt ?? 'no time'}`,
      );
  }
  const [both] = select<{ id: number; event: number }>(`select quarantine.id, events.id as event from events
    join subjects on subjects.id = subject_id
    join quarantine on quarantine.body = events.body and quarantine.source = subjects.source
      and quarantine.received_at = events.received_at
    where status = 'held' and reason <> 'conflict' and flags like '%"released"%'`);
  if (both !== undefined) throw violated('quarantine', `q${both.id} is event ${both.event} and still held`);
}
