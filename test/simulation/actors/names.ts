/** The handlers of the simulation by name. A bit of a number says which of them a process has. */
export const handlerNames = ['watcher', 'newest', 'queue', 'loose', 'ledger', 'index', 'erp'] as const;

/** Contents that come again and again. Later ones have a version each. */
export const FEW = 40;

export const MACHINE = 'ledger';
export const EFFECTS = 'ledger/effects';

/** Whether a handler takes its calls from the rate that several share: in every other story, that of order `latest`, too. */
export function isLimited(handler: string, seed: number): boolean {
  return handler === 'erp' || handler === 'queue' || (handler === 'index' && seed % 2 === 0);
}

/** How the provider's API behaves. */
export const providerMoods = ['up', 'up', 'mixed', 'down'] as const;
export type ProviderMood = (typeof providerMoods)[number];

/** How the target of replays to a URL behaves. */
export const targetMoods = ['up', 'up', 'mixed', 'down', 'refusing', 'hanging'] as const;
export type TargetMood = (typeof targetMoods)[number];
