/** Sentences as codes with values: who finds something names the code, and each surface says it from its own table. */

/** Sentences by code; a function forms one with values. */
export type Sentences = Readonly<Record<string, string | ((values: never) => string)>>;

/** A code of a table, with the values of its sentence. */
export type Said<Table extends Sentences> = {
  [Code in keyof Table]: Table[Code] extends (values: infer Values) => string
    ? Values & { readonly code: Code }
    : { readonly code: Code };
}[keyof Table];

/** @param table of English, or of another language with the same codes */
export function say<Table extends Sentences>(table: Table, said: Said<Table>): string {
  const sentence = table[said.code];
  return typeof sentence === 'function' ? sentence(said as never) : String(sentence);
}
