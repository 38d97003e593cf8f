/**
 * What was found out about an ambiguous event: the provider's record has its
 * content (`confirmed`), that of the event before it (`superseded`), or nothing
 * tells (`unconfirmed`).
 */
export type Settlement = 'confirmed' | 'superseded' | 'unconfirmed';

/** The flags of events that were settled. */
export const settlements: readonly Settlement[] = ['confirmed', 'superseded', 'unconfirmed'];

export interface Ambiguities {
  /**
   * Records what was found out, as a flag of the event, once: whoever comes
   * later gets what was recorded first.
   *
   * A superseded event gives its place as the subject's latest back, and is no
   * part of its history any more. When it came again since
   * `repeats` were counted, `unconfirmed` is recorded instead: one of those may
   * be the return that this one was not.
   *
   * @throws PortariaError `invalid-argument` when the event is not ambiguous.
   */
  settleAmbiguity(eventId: string, found: Settlement, repeats: number): Promise<Settlement>;
}
