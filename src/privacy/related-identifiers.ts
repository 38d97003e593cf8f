/** Finds further identifiers of a person. */
import { isValidCnpj, isValidCpf } from '../contract/check-digits.ts';
import type { Contract, Envelope } from '../contract/contract.ts';
import { subjectName } from '../event/subject.ts';
import { beginTimeSlice } from '../kernel/time/time-slice.ts';
import { parseJsonTree, valueOfNode, type JsonNode } from '../kernel/json/json-tree.ts';
import type { Privacy, StoredContent } from '../store/privacy.ts';
import { payloadNode } from './body-parts.ts';
import type { Identifier } from './identifier.ts';
import { recordsOf, type PayloadRecord } from './payload-records.ts';
import { everyName, personOf, type Person } from './person.ts';
import { allContents, type ReportScan } from './scan-store.ts';

/** Passes over the store: from a user to their CPF, to another user of the same CPF, to their violations. */
const MAX_PASSES = 6;

/** Families whose subject is the person that their payload names. */
const people = new Set(['user', 'user-login', 'console-user']);
const companies = new Set(['company', 'company-login']);

/**
 * Finds what else identifies a person: the CPF of a user, the user of a CPF, the CNPJ of a company, and the
 * violations of a user, whose slips do not name anybody. An e-mail address or a phone in a record of the
 * person is not followed: several drivers may share the one of their office.
 */
export async function relatedIdentifiers(
  store: Pick<Privacy, 'contents'>,
  given: readonly Identifier[],
  contract: Contract,
  report?: ReportScan,
): Promise<readonly Identifier[]> {
  const known = new Map(given.flatMap(everyName).map((one) => [nameOf(one), one]));
  const slice = beginTimeSlice();
  for (let pass = 0; pass < MAX_PASSES; pass += 1) {
    const before = known.size;
    const person = personOf([...known.values()]);
    for await (const page of allContents(store, ['event'], report))
      for (const content of page) {
        if (slice.isOver()) await slice.next();
        for (const found of identifiersOf(content, person, contract))
          for (const one of everyName(found)) known.set(nameOf(one), one);
      }
    if (known.size === before) break;
  }
  return [...known.values()];
}

function identifiersOf(content: StoredContent, person: Person, contract: Contract): readonly Identifier[] {
  const { subject, kind, body } = content;
  const source = content.source ?? 'default';
  if (body === null || subject === null || kind === null) return [];
  const text = Buffer.from(body).toString();
  if (!person.isSubject(subject) && !person.canBeIn(text)) return [];
  const data = payloadOf(text, contract.envelopeOf(source));
  if (data === undefined) return [];
  const masked = contract.mask(source, kind, valueOfNode(data));
  const records = recordsOf(data, masked, { kind, subject, place: 'data' }, person);
  const root = records[0];
  if (root === undefined || root.groupsOfPerson.size === 0) return [];
  const { family } = subject;
  const own: Identifier = { type: 'subject', value: subjectName(subject) };
  if (people.has(family)) return [own, ...taxIds(root, 'cpf')];
  if (companies.has(family)) return person.isSubject(subject) ? taxIds(root, 'cnpj') : [];
  const isOfUser = records.some(
    ({ name, parent, groupsOfPerson }) => name === 'user' && parent === root && groupsOfPerson.size > 0,
  );
  if (family === 'traffic-violation') return isOfUser ? [own] : [];
  // Of an unknown kind only the subject that was asked for is known to be a person.
  return person.isSubject(subject) && contract.find(source, kind) === undefined ? taxIds(root, 'cpf') : [];
}

function taxIds({ leaves }: PayloadRecord, type: 'cpf' | 'cnpj'): readonly Identifier[] {
  const isValid = type === 'cpf' ? isValidCpf : isValidCnpj;
  return leaves.flatMap(({ value }) => {
    const plain = String(value).replaceAll(/[./-]/g, '');
    return isValid(plain) ? [{ type, value: plain }] : [];
  });
}

function payloadOf(text: string, envelope: Envelope): JsonNode | undefined {
  try {
    return payloadNode(parseJsonTree(text.replace(/^\uFEFF/u, '')), envelope);
  } catch {
    return undefined;
  }
}

function nameOf({ type, value }: Identifier): string {
  return `${type}:${value}`;
}
