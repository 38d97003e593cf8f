/**
 * The resolution of an ambiguous event. The provider's record has its content
 * (`confirmed`), the content of the event before it (`superseded`), or neither
 * can be established (`unconfirmed`).
 */
export type Resolution = 'confirmed' | 'superseded' | 'unconfirmed';

/** The flags of resolved events. */
export const resolutions: readonly Resolution[] = ['confirmed', 'superseded', 'unconfirmed'];

/** Records the resolution of ambiguous events. */
export interface Ambiguities {
  /**
   * Records a resolution as a flag of the event, and returns the recorded one.
   * Only the first call records; later calls return its resolution.
   *
   * A superseded event leaves the subject's history, and the event before it
   * becomes the latest again. If the event was repeated since `repeats` was read,
   * `unconfirmed` is recorded instead: a repeat may have been a real return.
   *
   * @throws PortariaError `invalid-argument` when the event is not ambiguous.
   */
  resolveAmbiguity(eventId: string, found: Resolution, repeats: number): Promise<Resolution>;
}
