/** The handlers of the simulation by name. A bit of a number says which of them a process has. */
export const handlerNames = ['watcher', 'newest', 'queue', 'loose', 'ledger'] as const;

export const MACHINE = 'ledger';
export const EFFECTS = 'ledger/effects';
