/** Ends the handler name that deliveries of a machine's effects carry: `<machine>/effects`. */
const SUFFIX = '/effects';

/** Returns the handler name of a machine's effects. */
export function effectsName(machine: string): string {
  return `${machine}${SUFFIX}`;
}

/** Returns the machine whose effects have this handler name; any other name unchanged. */
export function machineOf(handler: string): string {
  return handler.endsWith(SUFFIX) ? handler.slice(0, -SUFFIX.length) : handler;
}
