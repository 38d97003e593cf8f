/** What webhooks become: the verdicts of docs/internals/identity.md on plain lists. */
import type { Receipt } from '../../../src/event/receipt.ts';
import type { Sending } from '../story.ts';
import { violated } from './violation.ts';

/** A webhook that was posted. */
export interface Sent {
  readonly sending: Sending;
  readonly body: string;
  readonly kind: string;
  readonly subject: string;
  /** The same for the same kind and data of a source. */
  readonly content: string;
  readonly version: string | null;
  /** The id by which its source is believed. */
  readonly message: string | null;
  readonly at: number;
  /** Of a release, the entry of the quarantine. */
  readonly entry?: string;
}

export interface KnownEvent {
  readonly number: number;
  readonly sent: Sent;
  readonly verdict: 'new' | 'stale' | 'ambiguous';
  /** Whether the provider's record has said what an ambiguous event is; null where nobody can ask. */
  resolution: 'open' | 'superseded' | 'applied' | null;
  /** More than the least when a process died while it counted one. */
  repeats: { least: number; most: number };
}

export type Prediction =
  | { readonly is: 'stored'; readonly verdict: KnownEvent['verdict'] }
  | { readonly is: 'duplicate'; readonly of: KnownEvent }
  | { readonly is: 'conflict'; readonly of: KnownEvent }
  | { readonly is: 'rejected' }
  | { readonly is: 'unverified' };

interface Quarantined {
  readonly sent: Sent;
  repeats: { least: number; most: number };
  /** The earliest time of its arrivals, by the wall clock: the last one may be earlier than the first. */
  cameAt: number;
}

export class Identity {
  /** Whether values that the contract does not list are accepted. */
  acceptsUnknown = false;
  readonly events: KnownEvent[] = [];
  readonly subjects = new Map<string, KnownEvent[]>();
  /** Whether the provider is asked about the charges of `default`. */
  asksProvider = false;
  readonly unresolved = new Set<KnownEvent>();
  /** Events and subjects that have changed since a look at them. */
  readonly changed = { events: new Set<KnownEvent>(), subjects: new Set<string>() };
  /** Bodies that are no events, by source and body, with their repeats. */
  readonly quarantined = new Map<string, Quarantined>();
  /** Bodies under the id of another message, by source and body. */
  readonly conflicts = new Map<string, Sent>();
  readonly #latest = new Map<string, KnownEvent>();
  readonly #highest = new Map<string, string>();
  readonly #messages = new Map<string, KnownEvent>();
  readonly #contents = new Map<string, KnownEvent>();

  predict(sent: Sent): Prediction {
    const { form, source } = sent.sending;
    if (form === 'wrong-proof' && source === 'signed') return { is: 'unverified' };
    if (form === 'invalid' || form === 'malformed') return { is: 'rejected' };
    if (form === 'unknown-value' && sent.sending.record === 'charge' && !this.acceptsUnknown)
      return { is: 'rejected' };
    const ofMessage = sent.message === null ? undefined : this.#messages.get(`${source} ${sent.message}`);
    if (ofMessage !== undefined)
      return { is: ofMessage.sent.content === sent.content ? 'duplicate' : 'conflict', of: ofMessage };
    const same = this.#contents.get(sent.content);
    const latest = this.#latest.get(sent.subject);
    if (same === undefined) {
      const highest = this.#highest.get(sent.subject) ?? '';
      return { is: 'stored', verdict: sent.version !== null && sent.version < highest ? 'stale' : 'new' };
    }
    if (sent.version !== null || latest?.sent.content === sent.content) return { is: 'duplicate', of: same };
    return { is: 'stored', verdict: sent.message === null ? 'ambiguous' : 'new' };
  }

  /** What was acknowledged. @param before what it was to become before the last answer of the provider. @returns the event that it has become */
  received(sent: Sent, receipt: Receipt, before: Prediction): KnownEvent | null {
    const is = receipt.status === 'duplicate' || receipt.status === 'rejected' ? receipt.status : 'stored';
    const number = receipt.id === null ? null : Number(receipt.id.replace(/^.*-/u, ''));
    const fits = (one: Prediction): boolean => one.is === is && (!('of' in one) || one.of.number === number);
    const after = this.predict(sent);
    const expected = !fits(after) && fits(before) ? before : after;
    const wanted = expected.is === 'conflict' ? 'duplicate' : expected.is;
    if (is !== wanted)
      throw violated('verdict', `a webhook was ${receipt.status}, expected ${expected.is}`, sent);
    if (expected.is === 'stored' && (receipt.status === 'stale') !== (expected.verdict === 'stale'))
      throw violated('verdict', `an event was ${receipt.status}, expected ${expected.verdict}`, sent);
    const known = this.apply(sent, expected, true);
    if (known !== null && number !== known.number && expected.is !== 'rejected')
      throw violated(
        'verdict',
        `the response names event ${String(number)}, expected ${String(known.number)}`,
        sent,
      );
    return expected.is === 'stored' ? known : null;
  }

  /** @param isCertain whether it was stored for sure */
  apply(sent: Sent, expected: Prediction, isCertain: boolean): KnownEvent | null {
    const { source } = sent.sending;
    if (expected.is === 'unverified') return null;
    if (sent.entry !== undefined) {
      if (expected.is === 'rejected' || expected.is === 'conflict') return null;
      const held = this.quarantined.get(`${source} ${sent.body}`);
      if (held !== undefined) held.repeats.least = -1;
      // It was counted when it came.
      if (expected.is === 'duplicate') return expected.of;
    }
    if (expected.is === 'rejected') {
      const key = `${source} ${sent.body}`;
      const known = this.quarantined.get(key);
      if (known === undefined) {
        const repeats = { least: isCertain ? 0 : -1, most: 0 };
        this.quarantined.set(key, { sent, repeats, cameAt: sent.at });
        return null;
      }
      count(known.repeats, isCertain);
      known.cameAt = Math.min(known.cameAt, sent.at);
      return null;
    }
    if (expected.is !== 'stored') {
      if (expected.is === 'conflict' && isCertain) this.conflicts.set(`${source} ${sent.body}`, sent);
      count(expected.of.repeats, isCertain);
      this.changed.events.add(expected.of);
      return expected.of;
    }
    const event: KnownEvent = {
      number: this.events.length + 1,
      sent,
      verdict: expected.verdict,
      resolution: this.#canResolve(sent, expected.verdict) ? 'open' : null,
      repeats: { least: 0, most: 0 },
    };
    if (event.resolution === 'open') this.unresolved.add(event);
    this.events.push(event);
    this.changed.events.add(event);
    this.changed.subjects.add(sent.subject);
    const ofSubject = this.subjects.get(sent.subject);
    if (ofSubject === undefined) this.subjects.set(sent.subject, [event]);
    else ofSubject.push(event);
    this.#contents.set(sent.content, event);
    if (sent.message !== null) this.#messages.set(`${source} ${sent.message}`, event);
    if (event.verdict !== 'stale') {
      this.#latest.set(sent.subject, event);
      const highest = this.#highest.get(sent.subject) ?? '';
      if (sent.version !== null && sent.version > highest) this.#highest.set(sent.subject, sent.version);
    }
    return event;
  }

  #canResolve({ sending }: Sent, verdict: KnownEvent['verdict']): boolean {
    return this.asksProvider && verdict === 'ambiguous' && sending.source === 'default';
  }

  /** The provider has been asked. A late redelivery leaves the history. */
  resolve(event: KnownEvent, isSuperseded: boolean): void {
    const { subject } = event.sent;
    event.resolution = isSuperseded ? 'superseded' : 'applied';
    this.unresolved.delete(event);
    this.changed.subjects.add(subject);
    const counts = ({ verdict, resolution }: KnownEvent): boolean =>
      verdict !== 'stale' && resolution !== 'superseded';
    const latest = this.subjects.get(subject)?.findLast(counts);
    if (latest !== undefined) this.#latest.set(subject, latest);
  }

  latestOf(subject: string): KnownEvent | undefined {
    return this.#latest.get(subject);
  }

  /** The events of a subject in the order in which they happened. */
  history(subject: string): readonly KnownEvent[] {
    let highest = '';
    return (this.subjects.get(subject) ?? [])
      .filter(({ resolution }) => resolution !== 'superseded')
      .map((event) => {
        const { version } = event.sent;
        if (version !== null && version > highest) highest = version;
        return { event, place: version ?? highest };
      })
      .sort((one, other) => (one.place === other.place ? 0 : one.place < other.place ? -1 : 1))
      .map(({ event }) => event);
  }
}

function count(repeats: { least: number; most: number }, isCertain: boolean): void {
  if (isCertain) repeats.least += 1;
  repeats.most += 1;
}
