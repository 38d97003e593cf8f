/** What visitors of the console are told when a form or a search is refused: as codes with values, and in English. */
import type { Said, Sentences } from './text/sentences.ts';

/** Mistakes that a form allows. What only a program or a typed address can get wrong has a message alone. */
export const refusals = {
  'no-field': `begin a condition with a field of the payload: data.company.tax_id = 12345678000190`,
  'no-operator': (is: { operators: string; path: string }) =>
    `write one of ${is.operators} after ${is.path}: data.company.tax_id = 12345678000190`,
  'no-value': ({ condition }: { condition: string }) =>
    `write a value after ${condition}: data.company.tax_id = 12345678000190`,
  'not-joined': 'join conditions by "and", and put values with "and" in quotes',

  'foreign-plan': 'This plan is of another store or another version: make it again',
  'old-plan': 'The plan is older than 10 minutes: make it again',
  'other-identifiers': 'These are not the identifiers of the plan: type the same again',

  'nobody-named': 'Nobody is named: write a CPF, an e-mail address, a phone, or a subject such as user:77',
  'many-identifiers': ({ most }: { most: number }) =>
    `Name one person, by at most ${String(most)} identifiers`,
  'not-identified': 'The person is not identified',
  'long-identifier': ({ most }: { most: number }) =>
    `is longer than ${String(most)} characters: write one identifier alone`,
  'cpf-or-phone': 'can be a CPF and a phone: write cpf:… or phone:…',
  'check-digits':
    'is not a CPF (its check digits are wrong): correct it, or write cpf:… if it is stored like this',
  'no-identifier':
    'is not a CPF, a CNPJ, an e-mail address, a phone with area code, or a subject such as user:77',
  'not-a-person': ({ family }: { family: string }) =>
    `${family} is not a person: name the person by CPF, e-mail, phone, user:<id>, console-user:<id> or company:<id>`,
  'not-a-cpf': 'is not a CPF: expected 11 digits',
  'not-a-cnpj': 'is not a CNPJ: expected 12 digits or letters, then 2 digits',
  'not-an-email': 'is not an e-mail address: expected one such as ana@example.com',
  'not-a-phone': 'is not a phone: expected digits with area code, such as 11987654321 or +5511987654321',

  'legal-hold': 'The person is under a legal hold, and nothing was erased',
  'other-erasure': (is: { process: string | null; since: string | null }) =>
    `Another erasure runs${is.process === null ? '' : ` in the process ${is.process}`}${is.since === null ? '' : ` since ${is.since}`}: start this one when it has ended`,
  'other-searches': 'Other persons are being searched for: try again when one of these searches has ended',
  'reason-missing': 'Give a reason: it is stored, and the audit shows it',
  'reason-names-person': 'The reason is stored, and it names the person: write it without',
  'reason-personal':
    'The reason is stored and printed in the receipt: write it without e-mail addresses, addresses of the web with a query, and numbers of ten digits or more',
  'subject-name': 'Write the subject as family:id, for example company:12',
  'held-identifier':
    'A hold of a CPF, CNPJ, e-mail address or phone keeps nothing: name the subject as the list of events shows it, such as user:77',
} satisfies Sentences;

export type Refusal = Said<typeof refusals>;
