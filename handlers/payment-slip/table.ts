import type { TransitionTable } from 'portaria';

/**
 * The moves that are likely. The specification shows none beyond the start at
 * `pending`; `requested` may be missed, since a slip can be issued or refused
 * before anybody is told that it was requested.
 */
export const table = {
  initial: 'none',
  transitions: [
    { from: 'none', on: 'pending', to: 'pending' },
    { from: 'pending', on: 'requested', to: 'requested' },
    { from: 'pending', on: 'issued', to: 'issued' },
    { from: 'pending', on: 'rejected', to: 'rejected' },
    { from: 'pending', on: 'failed', to: 'failed' },
    { from: 'requested', on: 'issued', to: 'issued' },
    { from: 'requested', on: 'rejected', to: 'rejected' },
    { from: 'requested', on: 'failed', to: 'failed' },
  ],
} as const satisfies TransitionTable;
