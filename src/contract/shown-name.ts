/** Which names of undeclared fields may be shown. */
import { maskText } from '../kernel/text/scrub.ts';

/** What an undeclared name must look like to be shown: an identifier, as developers write them. */
const IDENTIFIER = /^[A-Za-z_$][\w$-]{0,59}$/u;

/** What an identifier has that holds a CPF, a CNPJ or another long number. Most names need no closer look. */
const LONG = /[0-9A-Z]{12}|\d[\d-]{8}/u;

/** Whether the name of an undeclared member is shown while masked: senders may use names of people as names. */
export function isShownName(name: string): boolean {
  return IDENTIFIER.test(name) && (!LONG.test(name) || maskText(name) === name);
}
