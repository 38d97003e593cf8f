/** The lists of the provider, by family, and what of their records an event says, too. */
import type { CallOptions, Client } from '../client/client.ts';
import type { Family } from '../contract/family.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../kernel/json/json.ts';

/** A page of a list (specification, Conventions 3). */
export interface RecordPage {
  readonly data: readonly JsonObject[];
  readonly total: number;
}

export interface RecordList {
  page(
    client: Client,
    query: { readonly page: number; readonly size: number },
    options: CallOptions,
  ): Promise<RecordPage>;
  /**
   * Leaves out what has events of its own: the login of a company, and what a record says of the company or user that
   * it refers to.
   */
  readonly comparable?: (record: JsonObject) => JsonObject;
}

/** The families that can be compared. Logins have no records, and indications no list of their own. */
export const recordLists: Partial<Readonly<Record<Family, RecordList>>> = {
  company: {
    page: (client, query, options) => pageOf(client.companies.list(query, options)),
    comparable: ({ login: _, ...company }) => company,
  },
  'console-user': { page: (client, query, options) => pageOf(client.consoleUsers.list(query, options)) },
  'antt-violation': {
    page: (client, query, options) => pageOf(client.anttViolations.list(query, options)),
    comparable: withIdsOnly,
  },
  'antt-violation-ticket': {
    page: (client, query, options) => pageOf(client.anttViolations.tickets.list(query, options)),
  },
  'traffic-violation': {
    page: (client, query, options) => pageOf(client.trafficViolations.list(query, options)),
    comparable: withIdsOnly,
  },
  'traffic-violation-ticket': {
    page: (client, query, options) => pageOf(client.trafficViolations.tickets.list(query, options)),
  },
  charge: {
    page: (client, query, options) => pageOf(client.charges.list(query, options)),
    comparable: withIdsOnly,
  },
  'charge-payment-slip': {
    page: (client, query, options) => pageOf(client.charges.paymentSlips.list(query, options)),
    comparable: ({ charge, ...slip }) => ({
      ...slip,
      ...(charge !== undefined && { charge: isJsonObject(charge) ? withIdsOnly(charge) : charge }),
    }),
  },
};

/** The id of a record or payload as text; undefined when it has none. */
export function recordId(record: unknown): string | undefined {
  const id = isJsonObject(record) ? record['id'] : undefined;
  return typeof id === 'number' || typeof id === 'string' ? String(id) : undefined;
}

export const comparedFamilies = Object.keys(recordLists) as Family[];

/** Records have the types of their schemas, which are those of JSON. */
async function pageOf(
  read: Promise<{ readonly data: readonly unknown[]; readonly total: number }>,
): Promise<RecordPage> {
  const { data, total } = await read;
  return { data: data as readonly JsonObject[], total };
}

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
