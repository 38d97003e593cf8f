/** The erased values for which the files of a database are searched. */

/** Each one is looked for in every byte: more would take hours in a large file. */
export const MAX_SEARCHED_VALUES = 10_000;
/** Characters of all of them: one process gives them to another. */
const MAX_CHARACTERS = 8 * 1024 * 1024;
/** Shorter values are in every file by chance. */
const MIN_LENGTH = 8;

/** Distinct erased values. Personal data: never printed or stored. */
export interface SearchedValues {
  readonly values: ReadonlySet<string>;
  /** Whether there were more values than a search takes. */
  readonly isOver: boolean;
}

/** Collects values up to the limits of a search. */
export function collectSearchedValues(): SearchedValues & { add(value: string): void } {
  const values = new Set<string>();
  let characters = 0;
  let isOver = false;
  return {
    values,
    get isOver() {
      return isOver;
    },
    add(value) {
      if (value.length < MIN_LENGTH || values.has(value)) return;
      if (values.size >= MAX_SEARCHED_VALUES || characters + value.length > MAX_CHARACTERS) {
        isOver = true;
        return;
      }
      values.add(value);
      characters += value.length;
    },
  };
}
