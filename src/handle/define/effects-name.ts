/** The handler name that deliveries of a machine's effects carry. */
export function effectsName(machine: string): string {
  return `${machine}/effects`;
}
