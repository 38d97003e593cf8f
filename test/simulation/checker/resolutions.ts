/** What became of ambiguous events: the record that the provider had says it, and the flag of the row. */
import type { Provider } from '../actors/provider.ts';
import { chargeOf } from '../actors/senders.ts';
import type { Identity, KnownEvent, Sent } from './identity.ts';
import type { Disk } from '../world/disk-faults.ts';
import type { Rows } from './rows.ts';
import type { Seen } from './seen.ts';
import { violated } from './violation.ts';

interface Charge {
  readonly status: string;
  readonly code: string;
}

interface Asking {
  readonly identity: Identity;
  readonly rows: Rows;
  readonly provider: Provider;
  readonly disk: Pick<Disk, 'commits'>;
  readonly seen: Seen;
  reach(what: string): void;
}

/** Reads what is resolved by now. */
export function takeResolutions(world: Asking): void {
  const { identity, rows, disk, seen } = world;
  if (identity.unresolved.size === 0 || seen.commits === disk.commits) return;
  seen.commits = disk.commits;
  const ids = [...identity.unresolved].map(({ number }) => number);
  for (const { id, flags, repeats } of rows.events({ ids, after: identity.events.length })) {
    const event = identity.events[id - 1];
    const found = /"(confirmed|superseded|unconfirmed)"/u.exec(flags)?.[1];
    if (event === undefined || found === undefined) continue;
    requireCause(world, event, found, repeats);
    world.reach(`event ${found}`);
    identity.resolve(event, found === 'superseded');
  }
}

/** Whether a record had what tells one event from another: other fields are not compared. */
function says(answered: number | null, one: Sent, other: Sent): boolean {
  if (answered === null) return false;
  const [is, was] = [one, other].map(({ body }) => (JSON.parse(body) as { data: Charge }).data);
  const record = chargeOf(0, answered) as unknown as Charge;
  const differing = (['status', 'code'] as const).filter((field) => is?.[field] !== was?.[field]);
  return differing.length > 0 && differing.every((field) => record[field] === is?.[field]);
}

function requireCause(
  { identity, provider }: Asking,
  event: KnownEvent,
  found: string,
  repeats: number,
): void {
  const { sent, number } = event;
  const { contents, isSure } = provider.heardOf(event);
  const before = (identity.subjects.get(sent.subject) ?? []).filter(
    (other) => other.number < number && other.sent.content !== sent.content,
  );
  const isReturn = (of: number | null): boolean => before.some((one) => says(of, sent, one.sent));
  const isLate = (of: number | null): boolean => before.some((one) => says(of, one.sent, sent));
  const wrong = violated('resolved', `event ${number} is ${found}, the record was ${contents.join()}`, sent);
  if (found === 'confirmed' && !contents.some(isReturn)) throw wrong;
  if (found === 'superseded' && !contents.some(isLate)) throw wrong;
  // The event before may be pruned, or be superseded meanwhile.
  const last = before.at(-1);
  if (found !== 'unconfirmed' || !isSure || last?.number !== number - 1 || contents.length === 0) return;
  if (last.verdict !== 'new' || repeats > 0) return;
  const isClear = [[sent, last.sent] as const, [last.sent, sent] as const].some(([one, other]) =>
    contents.every((of) => says(of, one, other)),
  );
  if (isClear) throw wrong;
}
