/** Which parts of a payload are of a person, and which name others. */
import { isValidCpf } from '../contract/check-digits.ts';
import type { Subject } from '../event/subject.ts';
import type { JsonMember, JsonMembers, JsonNode, JsonScalar, JsonSpan } from '../kernel/json/json-tree.ts';
import type { JsonValue } from '../kernel/json/json.ts';
import { identifiersIn, identifiersOfNumber } from './identifiers-in.ts';
import { isWholly, type Person } from './person.ts';

/** A string or number of a payload. */
export interface Leaf {
  readonly node: JsonScalar;
  readonly value: string | number;
  /** The name of its member, also for items of a list. */
  readonly name: string;
  /** `data.company.tax_id` */
  readonly path: string;
  /** Whether views mask it: declared as personal, or not declared at all. */
  readonly personal: boolean;
}

/** An object of a payload. Its members are about one person, or about the people of its groups. */
export interface PayloadRecord {
  readonly parent: PayloadRecord | null;
  readonly leaves: Leaf[];
  /** Keys that identify the person, as in `{"12345678909": …}`. */
  readonly keys: JsonSpan[];
  /** Whether it has an id of its own, as a `company` or a `user` has: then it is not a part of its parent. */
  readonly hasId: boolean;
  readonly isItem: boolean;
  readonly name: string;
  readonly groups: readonly (readonly string[])[];
  /** The groups that are about the person, by their paths; {@link REST} has all other members. */
  readonly groupsOfPerson: Set<number>;
}

/** What is known of a payload before it is read. */
export interface PayloadAbout {
  readonly kind: string;
  readonly subject: Subject | null;
  /** The first step of its paths. */
  readonly place: 'data' | 'body';
}

/** Members of records of the contract that are about another person than the rest of the record. */
const groupsByKind: readonly (readonly [prefix: string, groups: readonly (readonly string[])[]])[] = [
  ['company.login.', [['uid', 'error']]],
  ['company.', [['login_username']]],
  ['traffic-violation.indication.', [['requester_email', 'requester_phone']]],
];

/** Members that refer to a record, and the family of that record. */
const references: Readonly<Record<string, string>> = {
  user: 'user',
  console_user: 'console-user',
  company: 'company',
  traffic_violation: 'traffic-violation',
  antt_violation: 'antt-violation',
  charge: 'charge',
};

/** Texts for templates: each can be about someone else. */
const UNATTRIBUTED = 'vars';

/** The group of all members that no other group has; what `findIndex` returns for them. */
const REST = -1;

/** Splits a payload into records, and finds out which of them, and which of their groups, are about the person. */
export function recordsOf(
  root: JsonNode,
  masked: JsonValue,
  about: PayloadAbout,
  person: Person,
): readonly PayloadRecord[] {
  const records: PayloadRecord[] = [];

  function open(node: JsonMembers, name: string, parent: PayloadRecord | null, isItem: boolean) {
    const groups =
      parent === null ? (groupsByKind.find(([prefix]) => about.kind.startsWith(prefix))?.[1] ?? []) : [];
    const hasId = node.members.some(({ key }) => key === 'id');
    const record = {
      parent,
      leaves: [],
      keys: [],
      hasId,
      isItem,
      name,
      groups,
      groupsOfPerson: new Set<number>(),
    };
    records.push(record);
    return record;
  }

  function walk(
    node: JsonNode,
    shown: JsonValue | undefined,
    name: string,
    path: string,
    record: PayloadRecord,
    isItem: boolean,
  ): void {
    if (node.type === 'scalar') {
      const { value } = node;
      if (typeof value !== 'string' && typeof value !== 'number') return;
      record.leaves.push({ node, value, name, path, personal: shown !== value });
    } else if (node.type === 'array') {
      const items = Array.isArray(shown) ? shown : [];
      for (const [at, item] of node.items.entries())
        walk(item, items[at] as JsonValue | undefined, name, path, record, true);
    } else members(node, shown, path, open(node, name, record, isItem));
  }

  function members(
    node: JsonMembers,
    shown: JsonValue | undefined,
    path: string,
    record: PayloadRecord,
  ): void {
    for (const { key, keySpan, node: member } of node.members) {
      if (person.findIn(key).length > 0) record.keys.push(keySpan);
      walk(member, memberOf(shown, key), key, `${path}.${key}`, record, false);
    }
  }

  if (root.type === 'object') members(root, masked, about.place, open(root, '', null, false));
  else {
    const only: PayloadRecord = {
      parent: null,
      leaves: [],
      keys: [],
      hasId: false,
      isItem: false,
      name: '',
      groups: [],
      groupsOfPerson: new Set(),
    };
    records.push(only);
    walk(root, masked, '', about.place, only, false);
  }
  for (const record of records) attribute(record, about, person, records);
  return records;
}

/** Marks the groups of a record, and of the records that it is a part of or refers to, as the person's. */
function attribute(
  record: PayloadRecord,
  { subject }: Pick<PayloadAbout, 'subject'>,
  person: Person,
  all: readonly PayloadRecord[],
): void {
  if (record.parent === null && subject !== null && person.isSubject(subject))
    record.groupsOfPerson.add(REST);
  if (record.keys.length > 0) record.groupsOfPerson.add(REST);
  for (const leaf of record.leaves) {
    if (names(leaf, person) && record.name !== UNATTRIBUTED && (leaf.personal || isWhole(leaf, person)))
      record.groupsOfPerson.add(groupOf(record, leaf.name));
    const family = /^(user|company|console_user)_id$/.exec(leaf.name)?.[1];
    if (family !== undefined && person.isSubject({ family: references[family]!, id: String(leaf.value) }))
      record.groupsOfPerson.add(REST);
  }
  const family = references[record.name];
  const id = record.leaves.find(({ name }) => name === 'id')?.value;
  if (family === undefined || id === undefined || !person.isSubject({ family, id: String(id) })) return;
  record.groupsOfPerson.add(REST);
  const { parent } = record;
  // What happened to a user of a company is about the user.
  const isOfUser = all.some((one) => one.parent === parent && one.name === 'user' && one.hasId);
  if (parent !== null && (family !== 'company' || !isOfUser)) parent.groupsOfPerson.add(REST);
}

/** Whether a leaf of a record belongs to the person, by itself or by the record that contains it. */
export function isOfPerson(record: PayloadRecord, leaf: Leaf, person: Person): boolean {
  if (record.groupsOfPerson.has(groupOf(record, leaf.name))) return true;
  for (let part = record; part.parent !== null && !part.hasId; part = part.parent) {
    const whole = part.parent;
    if (!whole.groupsOfPerson.has(groupOf(whole, part.name))) continue;
    const own = new Set(whole.leaves.map(({ value }) => value));
    const isForeign = (one: Leaf) => !own.has(one.value) && namesAnother(one, person);
    return part.name === UNATTRIBUTED && !part.isItem ? !isForeign(leaf) : !record.leaves.some(isForeign);
  }
  return false;
}

/** Whether a payload identifies someone else, in records that are not about the person. */
export function namesOthers(records: readonly PayloadRecord[], person: Person): boolean {
  const own = new Set(
    records
      .filter(({ groupsOfPerson }) => groupsOfPerson.size > 0)
      .flatMap(({ leaves }) => leaves.map(({ value }) => value)),
  );
  return records.some(({ leaves }) =>
    leaves.some((leaf) => !own.has(leaf.value) && namesAnother(leaf, person)),
  );
}

/** Whether a leaf contains an identifier of the person. */
export function names({ name, value, personal }: Leaf, person: Person): boolean {
  if (typeof value === 'string') return person.findIn(value).length > 0;
  // An id can be as long as a CPF without its leading zeros.
  const isId = !personal || /(?:^|_)id$/.test(name);
  return person.isNumber(value) && (!isId || value >= 1e10);
}

/** One phone in a hundred has the check digits of a CPF: its name tells. */
const PHONE_NAME = /phone|fone|tel|cel|whats/i;

function namesAnother({ name, value }: Leaf, person: Person): boolean {
  const found =
    typeof value === 'number' ? [...identifiersOfNumber(value)] : [...identifiersIn(value, false)];
  if (found.some((one) => person.has(one))) return false;
  return found.some(
    (one) => one.type === 'email' || (one.type === 'cpf' && isValidCpf(one.value) && !PHONE_NAME.test(name)),
  );
}

function isWhole({ value }: Leaf, person: Person): boolean {
  return typeof value === 'number' || isWholly(value, person);
}

function groupOf({ groups }: PayloadRecord, name: string): number {
  return groups.findIndex((group) => group.includes(name));
}

function memberOf(value: JsonValue | undefined, key: JsonMember['key']): JsonValue | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return Object.hasOwn(value, key) ? (value as Readonly<Record<string, JsonValue>>)[key] : undefined;
}
