/**
 * What was found out about an ambiguous event: the provider's record has its
 * content (`confirmed`), that of the event before it (`superseded`), or nothing
 * tells (`unconfirmed`).
 */
export type Resolution = 'confirmed' | 'superseded' | 'unconfirmed';

/** The flags of events that were settled. */
export const resolutions: readonly Resolution[] = ['confirmed', 'superseded', 'unconfirmed'];

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
  resolveAmbiguity(eventId: string, found: Resolution, repeats: number): Promise<Resolution>;
}
