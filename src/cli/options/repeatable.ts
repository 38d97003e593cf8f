/** Collects the values of a flag that may be given more than once. */
export function repeatable(text: string, sofar: readonly string[] | undefined): readonly string[] {
  return [...(sofar ?? []), text];
}
