/** Finds the companies that webhooks belong to, by what a plan selects a company by. */
import type { Contract } from '../../contract/contract.ts';
import { companyFamilies, parseSubjectName } from '../../event/subject.ts';
import { memberAt, type JsonValue } from '../../kernel/json/json.ts';
import { beginTimeSlice } from '../../kernel/time/time-slice.ts';
import type { Queries } from '../../store/queries.ts';
import { likelyMeant } from './likely-meant.ts';
import { companyParameter } from '../../view/parameters/conditions.ts';
import { storedEnvelope, type StoredBody } from '../../view/payload/stored-envelope.ts';

/** Bytes of bodies that are read for a list: webhooks wait meanwhile. */
const MAX_BYTES = 1024 * 1024;

/** Where payloads name the company. */
const PATHS = [
  ['company', 'id'],
  ['charge', 'company', 'id'],
] as const;

/** What else stands there may be personal data, and a longer number a CPF. */
const NUMBER = /^\d{1,10}$/u;

/** An event, or an entry of the quarantine. */
interface Listed {
  readonly id: string;
  readonly source: string;
  readonly kind: string | null;
  /** `family:id` */
  readonly subject: string | null;
}

/**
 * The numbers of companies, as far as the bytes of the list go, by the ids of what belongs to them.
 *
 * @param read reads a body by the id of its webhook
 */
export async function companiesOf(
  listed: readonly Listed[],
  contract: Contract,
  read: (id: string) => Promise<StoredBody | null>,
): Promise<ReadonlyMap<string, string>> {
  const companies = new Map<string, string>();
  const slice = beginTimeSlice();
  let bytes = 0;
  for (const each of listed) {
    const isRead = ownCompany(each) === null && bytes < MAX_BYTES && mayName(each, contract);
    const stored = isRead ? await read(each.id) : null;
    bytes += stored?.body?.byteLength ?? 0;
    const company = ownCompany(each) ?? namedIn(stored, contract);
    // What is no number of a company leads nowhere, and may be what a person wrote.
    if (company !== null && companyParameter.safeParse(company).success) companies.set(each.id, company);
    if (slice.isOver()) await slice.next();
  }
  return companies;
}

/** As {@link companiesOf}, of webhooks in quarantine. */
export async function companiesOfHeld(
  held: readonly Listed[],
  { store, contract }: { readonly store: Pick<Queries, 'quarantinedDelivery'>; readonly contract: Contract },
): Promise<ReadonlyMap<string, string>> {
  return companiesOf(held, contract, async (id) => {
    const stored = await store.quarantinedDelivery(id);
    return stored === null ? null : likelyMeant(stored, contract);
  });
}

function ownCompany({ subject }: Listed): string | null {
  const parsed = subject === null ? undefined : parseSubjectName(subject);
  return parsed !== undefined && companyFamilies.includes(parsed.family) ? parsed.id : null;
}

/** Whether the payloads of its kind have a company: others need not be read. */
function mayName({ source, kind }: Listed, contract: Contract): boolean {
  const fields = contract.find(source, kind ?? '')?.fields;
  return fields === undefined || PATHS.some(([first]) => fields.has(first));
}

function namedIn(stored: StoredBody | null, contract: Contract): string | null {
  const data = stored === null ? undefined : storedEnvelope(stored, contract)?.data;
  return data === undefined ? null : companyIn(data);
}

/** The number of the company that a payload names; null without one. */
export function companyIn(data: JsonValue): string | null {
  const ids = PATHS.map((path) => memberAt(data, path));
  return ids.map(String).find((id) => NUMBER.test(id)) ?? null;
}
