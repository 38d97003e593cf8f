/** Identifiers of persons: their types, their spellings, and how they are parsed. */
import { isValidCnpj, isValidCpf } from '../contract/check-digits.ts';
import { parseSubjectName, subjectName } from '../event/subject.ts';
import { PortariaError, type Problem } from '../kernel/errors.ts';
import { countOf } from '../kernel/text/count.ts';

/** What identifies a person: alone, and in every record. */
export type IdentifierType = 'cpf' | 'cnpj' | 'email' | 'phone' | 'subject';

/**
 * An identifier in its one spelling: a CPF and a CNPJ without punctuation, an e-mail address in
 * lower case, a phone as digits without the Brazilian country code, a subject as `family:id`.
 */
export interface Identifier {
  readonly type: IdentifierType;
  readonly value: string;
}

/** Characters of an identifier, at most: an e-mail address of 254, with room for a type and spaces. */
export const MAX_IDENTIFIER = 320;

/** Identifiers that one request may name. */
export const MAX_IDENTIFIERS = 50;

/** Without a dot in its parts, the domain matches in one way alone: the time grows with the length, not its square. */
const EMAIL = /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/u;

/** Subjects that are a person, or a company that one person can own, and the families of their events. */
const personFamilies: Readonly<Record<string, readonly string[]>> = {
  user: ['user', 'user-login'],
  'user-login': ['user', 'user-login'],
  company: ['company', 'company-login'],
  'company-login': ['company', 'company-login'],
  'console-user': ['console-user'],
};

/** Subjects of the contract that are about a thing. A person is found in them by other identifiers. */
const thingFamilies = new Set([
  'antt-violation',
  'antt-violation-ticket',
  'traffic-violation',
  'traffic-violation-ticket',
  'traffic-violation-indication',
  'charge',
  'charge-payment-slip',
]);

/** Returns a subject under all families of the same person: `user:77` and `user-login:77`. */
export function sameSubjects(name: string): readonly string[] {
  const subject = parseSubjectName(name);
  if (subject === undefined) return [name];
  return (personFamilies[subject.family] ?? [subject.family]).map((family) =>
    subjectName({ family, id: subject.id }),
  );
}

/**
 * Returns a phone's digits without what is dialled before the area code: a country code 55, a zero, and the two digits
 * of a carrier.
 */
function nationalPhone(digits: string): string {
  return /^(?:0{0,2}55)?(?:0(?:\d\d)?)?(\d{10,11})$/.exec(digits)?.[1] ?? digits;
}

/**
 * The two spellings of a Brazilian mobile phone: with the ninth digit, and without it, as numbers of before 2016 stay in
 * messengers. Another phone has one.
 */
export function phoneSpellings(national: string): readonly string[] {
  const [, area = '', nine, rest = ''] = /^([1-9][1-9])(9?)([6-9]\d{7})$/.exec(national) ?? [];
  if (nine === undefined) return [national];
  return [national, nine === '' ? `${area}9${rest}` : area + rest];
}

/**
 * The spellings of the phone that digits may be. Bare ones that may be seconds since 1970 stand for themselves alone:
 * else the time of some event would be the phone of a person in the areas 15 to 19.
 */
export function phonesOf(digits: string, isBare: boolean): readonly string[] {
  return isBare && /^1[5-9]\d{8}$/.test(digits) ? [digits] : phoneSpellings(nationalPhone(digits));
}

/** An e-mail address in one spelling. */
export function plainEmail(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

/**
 * Parses what an operator writes: `123.456.789-09`, `ana@example.com`, `+55 11 98765-4321`, `user:77`.
 * A type before it (`cpf:`, `cnpj:`, `email:`, `phone:`) says what is ambiguous otherwise, and takes a CPF
 * with wrong check digits.
 *
 * @throws PortariaError `invalid-argument`, whose message does not repeat the text
 */
export function parseIdentifier(text: string): Identifier {
  if (text.length > MAX_IDENTIFIER)
    throw new PortariaError('invalid-argument', { code: 'long-identifier', most: MAX_IDENTIFIER });
  const given = text.trim();
  const typed = /^(cpf|cnpj|email|phone):(.*)$/su.exec(given);
  if (typed !== null) return typedIdentifier(typed[1] as IdentifierType, typed[2] ?? '');
  if (given.includes('@') && !given.includes(':')) return typedIdentifier('email', given);
  const subject = parseSubjectName(given);
  if (subject !== undefined) return subjectIdentifier(subject.family, given);
  const plain = withoutPunctuation(given);
  if (isValidCnpj(plain.toUpperCase())) return { type: 'cnpj', value: plain.toUpperCase() };
  const isCpf = isValidCpf(plain);
  // Three groups of three digits are never a phone.
  if (isCpf && /^\d{3}\.\d{3}\.\d{3}/.test(given)) return { type: 'cpf', value: plain };
  const isPhone = phoneSpellings(nationalPhone(plain)).some(isPhoneNumber);
  if (isCpf && isPhone) throw new PortariaError('invalid-argument', { code: 'cpf-or-phone' });
  if (isCpf) return { type: 'cpf', value: plain };
  if (isPhone) return typedIdentifier('phone', given);
  if (/^\d{11}$/.test(plain)) throw new PortariaError('invalid-argument', { code: 'check-digits' });
  throw new PortariaError('invalid-argument', { code: 'no-identifier' });
}

/**
 * Parses the identifiers of one person.
 *
 * @throws PortariaError `invalid-argument` for too many, and with a problem for each wrong one; none is repeated
 */
export function parseIdentifiers(texts: readonly string[]): readonly Identifier[] {
  if (texts.length > MAX_IDENTIFIERS)
    throw new PortariaError('invalid-argument', { code: 'many-identifiers', most: MAX_IDENTIFIERS });
  const problems: Problem[] = [];
  const identifiers = texts.flatMap((text, at) => {
    try {
      return [parseIdentifier(text)];
    } catch (error) {
      if (!PortariaError.is(error)) throw error;
      problems.push({
        where: `identifier ${String(at + 1)}`,
        message: error.message,
        refusal: error.refusal,
      });
      return [];
    }
  });
  if (problems.length === 0) return identifiers;
  throw new PortariaError('invalid-argument', { code: 'not-identified' }, { problems });
}

/** Whether a text is, as a whole, a CPF, CNPJ, e-mail address or phone. */
export function isPersonal(text: string): boolean {
  if (text.length > MAX_IDENTIFIER) return false;
  const plain = withoutPunctuation(text);
  return isValidCpf(plain) || isValidCnpj(plain.toUpperCase()) || isPhoneNumber(plain) || EMAIL.test(text);
}

/** Counts identifiers by type, without their values. */
export function identifierCounts(identifiers: readonly Pick<Identifier, 'type'>[]): string {
  const counts = Map.groupBy(identifiers, ({ type }) => type);
  return [...counts].map(([type, those]) => countOf(those.length, type)).join(', ');
}

/** What a text of a type is when it does not have its form. */
const WRONG_TYPE = {
  cpf: 'not-a-cpf',
  cnpj: 'not-a-cnpj',
  email: 'not-an-email',
  phone: 'not-a-phone',
  subject: 'subject-name',
} as const;

function typedIdentifier(type: IdentifierType, text: string): Identifier {
  const plain = withoutPunctuation(text);
  if (type === 'cpf' && /^\d{11}$/.test(plain)) return { type, value: plain };
  if (type === 'cnpj' && /^[0-9A-Z]{12}\d{2}$/i.test(plain)) return { type, value: plain.toUpperCase() };
  if (type === 'email' && EMAIL.test(text.trim())) return { type, value: plainEmail(text.trim()) };
  // Eight digits without an area code are phones of many people.
  if (type === 'phone' && /^(?:\+\d{8,15}|\d{10,15})$/.test(plain))
    return { type, value: nationalPhone(plain.replace('+', '')) };
  throw new PortariaError('invalid-argument', { code: WRONG_TYPE[type] });
}

/** `(0xx11) 98765-4321` shows that a carrier's digits belong between zero and area code. */
function withoutPunctuation(text: string): string {
  return text.replaceAll(/[\s.,/()_\p{Pd}]/gu, '').replace(/^(\+?5?5?)0xx/iu, '$1');
}

function subjectIdentifier(family: string, name: string): Identifier {
  if (!thingFamilies.has(family)) return { type: 'subject', value: name };
  throw new PortariaError('invalid-argument', { code: 'not-a-person', family });
}

/** With an area code, 11 to 99, or with a plus and a country code. */
function isPhoneNumber(plain: string): boolean {
  return /^\+\d{8,15}$/.test(plain) || /^(?:55)?[1-9][1-9](?:9\d{8}|[2-5]\d{7})$/.test(plain);
}
