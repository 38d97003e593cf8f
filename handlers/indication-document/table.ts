import type { TransitionTable } from 'portaria';

/**
 * The likely moves of an indication. The specification shows three (creation,
 * signature, and cancellation of a pending one); the rest follows from what
 * each status means. `filed` is sent to the agency, which may still void it.
 */
export const statusTable = {
  initial: 'none',
  transitions: [
    { from: 'none', on: 'pending', to: 'pending' },
    { from: 'pending', on: 'review', to: 'review' },
    { from: 'pending', on: 'accepted', to: 'accepted' },
    { from: 'pending', on: 'filed', to: 'filed' },
    { from: 'pending', on: 'expired', to: 'expired' },
    { from: 'pending', on: 'rejected', to: 'rejected' },
    { from: 'pending', on: 'failed', to: 'failed' },
    { from: 'pending', on: 'voided', to: 'voided' },
    { from: 'pending', on: 'canceled', to: 'canceled' },
    { from: 'review', on: 'accepted', to: 'accepted' },
    { from: 'review', on: 'filed', to: 'filed' },
    { from: 'review', on: 'failed', to: 'failed' },
    { from: 'review', on: 'voided', to: 'voided' },
    { from: 'accepted', on: 'filed', to: 'filed' },
    { from: 'accepted', on: 'failed', to: 'failed' },
    { from: 'accepted', on: 'voided', to: 'voided' },
    { from: 'filed', on: 'accepted', to: 'accepted' },
    { from: 'filed', on: 'failed', to: 'failed' },
    { from: 'filed', on: 'voided', to: 'voided' },
  ],
} as const satisfies TransitionTable;

/** The document's own moves. An unsigned one ends with its indication. */
export const documentTable = {
  initial: 'none',
  transitions: [
    { from: 'none', on: 'pending', to: 'pending' },
    { from: 'pending', on: 'signed', to: 'signed' },
    { from: 'pending', on: 'refused', to: 'refused' },
    { from: 'pending', on: 'expired', to: 'expired' },
    { from: 'pending', on: 'canceled', to: 'canceled' },
  ],
} as const satisfies TransitionTable;
