import type { Draws } from '../../kit/seed.ts';

/** A webhook: its content, and its message id if it has one. */
export interface Arrival {
  readonly body: string;
  readonly subject: string;
  /** The version that orders the contents of a subject, if it has one. */
  readonly version: string | null;
  readonly recognized: boolean;
  readonly id: string | undefined;
}

/** Random arrivals in which contents and ids repeat. Some ids are invented. */
export function drawnArrivals({ between }: Draws, count: number): readonly Arrival[] {
  const contents: readonly Omit<Arrival, 'id'>[] = [1, 2, 3].flatMap((id) => [
    ...['pending', 'paid', 'overdue'].map((status) => ({
      body: JSON.stringify({ type: 'charge.updated', data: { id, type: 'fee', status } }),
      subject: `charge:${String(id)}`,
      version: null,
      recognized: true,
    })),
    ...['01', '02', '03'].map((day) => ({
      body: JSON.stringify({
        type: 'company.updated',
        data: { id, name: `Serra ${day}`, updated_at: `2026-11-${day}T00:00:00Z` },
      }),
      subject: `company:${String(id)}`,
      version: day,
      recognized: true,
    })),
    ...['a', 'b'].map((note) => ({
      body: JSON.stringify({ type: 'strange.happened', data: { id, note } }),
      subject: `strange:${String(id)}`,
      version: null,
      recognized: false,
    })),
  ]);
  return Array.from({ length: count }, () => {
    const content = contents[between(0, contents.length - 1)];
    if (content === undefined) throw new Error('there are no contents');
    const sort = between(0, 9);
    // Few ids, so that most of them repeat.
    if (sort < 6) return { ...content, id: `msg_${String(between(1, 25))}` };
    return { ...content, id: sort < 8 ? `invented-${String(between(1, 1e9))}` : undefined };
  });
}

/** The expected response: status, flags, and the number of the stored event. */
export interface Verdict {
  readonly status: string;
  readonly flags: readonly string[];
  readonly event: number;
}

/** The expected responses for trusted ids, from the rules in ARCHITECTURE.md and without the product's code. */
export function verdictsOf(arrivals: readonly Arrival[]): readonly Verdict[] {
  const stored: Arrival[] = [];
  const latest = new Map<string, number>();
  return arrivals.map((arrival) => {
    const { body, subject, version, recognized, id } = arrival;
    const duplicate = (event: number): Verdict => ({ status: 'duplicate', flags: [], event });
    // The same id is the same message, even after other events.
    const message = id === undefined ? -1 : stored.findIndex((one) => one.id === id);
    if (message !== -1) return duplicate(message);
    const known = stored.findLastIndex((one) => one.body === body);
    const newest = latest.get(subject);
    const saysSomething = id !== undefined && !recognized;
    if (known !== -1 && !saysSomething && (version !== null || known === newest)) return duplicate(known);
    const isStale = version !== null && newest !== undefined && version < (stored[newest]?.version ?? '');
    const event = stored.push(arrival) - 1;
    if (!isStale) latest.set(subject, event);
    return {
      status: isStale ? 'stale' : recognized ? 'accepted' : 'unrecognized',
      flags: known !== -1 && id === undefined ? ['ambiguous'] : [],
      event,
    };
  });
}
