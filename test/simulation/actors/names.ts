/** The handlers of the simulation by name. A bit of a number says which of them a process has. */
export const handlerNames = ['watcher', 'newest', 'queue', 'loose', 'ledger'] as const;

/** Contents that come again and again. Later ones have a version each. */
export const FEW = 40;

export const MACHINE = 'ledger';
export const EFFECTS = 'ledger/effects';

/** How the provider's API behaves. */
export const providerMoods = ['up', 'up', 'mixed', 'down'] as const;
export type ProviderMood = (typeof providerMoods)[number];

/** How the target of replays to a URL behaves. */
export const targetMoods = ['up', 'up', 'mixed', 'down', 'refusing', 'hanging'] as const;
export type TargetMood = (typeof targetMoods)[number];
