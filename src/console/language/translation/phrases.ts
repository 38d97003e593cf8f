/**
 * What other parts of Portaria say, in English and Portuguese. `{}` stands for a name, a number or a phrase, in the
 * same order in both; `{,}` for a number that is written with a decimal point.
 */
export type Phrases = Readonly<Record<string, string>>;
