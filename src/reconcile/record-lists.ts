/** The lists of the provider, by family, and what of their records an event says, too. */
import type { CallOptions, Client } from '../client/client.ts';
import { catalogue } from '../contract/catalogue.ts';
import type { Family } from '../contract/family.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../kernel/json/json.ts';

export interface RecordList {
  /** Lists the records in pages (specification, Conventions 3). */
  readonly list: (client: Client) => {
    list(
      query: { readonly page: number; readonly size: number },
      options: CallOptions,
    ): Promise<{ readonly data: readonly unknown[]; readonly total: number }>;
    all(query: object, options: CallOptions): AsyncIterable<unknown>;
  };
  /**
   * Leaves out what has events of its own: the login of a company, and what a record says of the company or user that
   * it refers to.
   */
  readonly comparable?: (record: JsonObject) => JsonObject;
}

/** The families that can be compared. Logins have no records, and indications no list of their own. */
export const recordLists: Partial<Readonly<Record<Family, RecordList>>> = {
  company: {
    list: (client) => client.companies,
    comparable: ({ login: _, ...company }) => company,
  },
  'console-user': { list: (client) => client.consoleUsers },
  'antt-violation': { list: (client) => client.anttViolations, comparable: withIdsOnly },
  'antt-violation-ticket': { list: (client) => client.anttViolations.tickets },
  'traffic-violation': { list: (client) => client.trafficViolations, comparable: withIdsOnly },
  'traffic-violation-ticket': { list: (client) => client.trafficViolations.tickets },
  charge: { list: (client) => client.charges, comparable: withIdsOnly },
  'charge-payment-slip': {
    list: (client) => client.charges.paymentSlips,
    comparable: ({ charge, ...slip }) => ({
      ...slip,
      ...(charge !== undefined && { charge: isJsonObject(charge) ? withIdsOnly(charge) : charge }),
    }),
  },
};

/** Returns what of a record of a family, or of the data of its events, is compared. */
export function comparableOf(family: string): (record: JsonObject) => JsonObject {
  const list = Object.hasOwn(recordLists, family) ? recordLists[family as Family] : undefined;
  return list?.comparable ?? ((record) => record);
}

export function kindsOf(family: Family): readonly string[] {
  return Object.values(catalogue).flatMap((each) => (each.family === family ? [each.kind] : []));
}

/** The id of a record or payload as text; undefined when it has none. */
export function recordId(record: unknown): string | undefined {
  const id = isJsonObject(record) ? record['id'] : undefined;
  return typeof id === 'number' || typeof id === 'string' ? String(id) : undefined;
}

export const comparedFamilies = Object.keys(recordLists) as Family[];

/** Changes of a company or a user have webhooks of their own, so only which one it is counts. */
function withIdsOnly(record: JsonObject): JsonObject {
  return {
    ...record,
    ...(record['company'] !== undefined && { company: idOnly(record['company']) }),
    ...(record['user'] !== undefined && { user: idOnly(record['user']) }),
  };
}

function idOnly(reference: JsonValue): JsonValue {
  return isJsonObject(reference) ? { id: reference['id'] ?? null } : reference;
}
