/** What a process knows of kinds and sources, and how it finds its way in a body. */
import { ownMember, type JsonObject, type JsonValue } from '../kernel/json/json.ts';
import { patternMatches } from './event-pattern.ts';
import type { KindContract } from './kind-contract.ts';
import { maskAll } from './personal-data.ts';
import type { DefinedVerification } from './source-verification.ts';
import type { SourceFields } from './source-fields.ts';

/** The kinds that a process knows: those of the specification, the custom kinds, and their sources. */
export interface Contract {
  /** All kinds: the specification's in its order, then custom ones, then those of each custom source. */
  readonly kinds: readonly KindContract[];
  /** The custom sources. */
  readonly sources: readonly SourceContract[];
  /** Returns the contract of a kind from a source; undefined for an unrecognized kind. */
  find(source: string, kind: string): KindContract | undefined;
  /** Returns the names of the kinds that a kind or wildcard matches, of any source. */
  kindsMatching(pattern: string): readonly string[];
  /** Returns how the bodies of a source hold type and data. */
  envelopeOf(source: string): Envelope;
  /** Reads the payload of a body; undefined when it is missing. It may throw for a custom source. */
  readonly dataOf: (source: string, body: JsonValue) => JsonValue | undefined;
  /** Masks a payload by its kind's rules; masks all of it when the kind is unrecognized. */
  mask(source: string, kind: string, data: JsonValue): JsonValue;
  /** The names of all personal fields, for values whose shape is unknown. */
  readonly personalNames: ReadonlySet<string>;
}

/** A custom source: a source with an envelope and kinds of its own. */
export interface SourceContract {
  readonly name: string;
  /** The file that defines it. */
  readonly origin: string;
  readonly envelope: Envelope;
  /** How it is verified, by the names of its secrets; undefined leaves it to the configuration. */
  readonly verify: DefinedVerification | undefined;
  /** What it says besides; undefined for nothing. */
  readonly fields?: DefinedFields;
  readonly kinds: readonly KindContract[];
}

/** The fields of a source in `defineSource`. */
export interface DefinedFields extends SourceFields {
  /** The environment variable with the key of `apiUrl`; `<name>_FILE` may name a file instead. */
  readonly apiKeyFrom?: string;
}

/** How the bodies of a source hold type and data. */
export interface Envelope {
  /** Where the two lie, in words, for error messages: `type`, `data`. */
  readonly names: { readonly type: string; readonly data: string };
  /** Reads the kind; undefined when it is missing. It may throw for a custom source. */
  type(body: JsonValue, headers: Readonly<Record<string, string>>): unknown;
  /** Reads the payload; undefined when it is missing. It may throw for a custom source. */
  data(body: JsonValue): JsonValue | undefined;
  /** Builds what the sender would post; undefined when only the sender can. */
  write(kind: string, data: JsonObject): SentMessage | undefined;
  /** Names in lower case of the request headers that `type` reads, and that are therefore stored. */
  readonly headers: readonly string[];
  /** The steps to `data` in a body, for documents; null when a function reads it. */
  readonly dataPath: readonly string[] | null;
  /** The steps to the kind in a body, for documents; null when it is not in the body. */
  readonly typePath: readonly string[] | null;
  /** The steps to the sender's own id of an event in a body, if it is there. */
  readonly idPath?: readonly string[];
  /** Whether each of the sender's ids is an event, whatever its content: the source says where they are. */
  readonly countsIds?: true;
  /** The steps in `data` to what makes no event another one. */
  readonly ignored?: readonly (readonly string[])[];
}

/** A body and the headers that belong to it. */
export interface SentMessage {
  readonly body: JsonObject;
  readonly headers: Readonly<Record<string, string>>;
}

/** The provider's envelope `{type, data}` (specification, Events, Webhook envelope). */
export const providerEnvelope: Envelope = {
  names: { type: 'type', data: 'data' },
  type: (body) => ownMember(body, 'type'),
  data: (body) => ownMember(body, 'data'),
  write: (kind, data) => ({ body: { type: kind, data }, headers: {} }),
  headers: [],
  dataPath: ['data'],
  typePath: ['type'],
};

/**
 * Creates a contract.
 *
 * @param shared kinds of every source that sends the provider's envelope; a later one replaces an earlier one
 */
export function createContract(
  shared: readonly KindContract[],
  sources: readonly SourceContract[] = [],
): Contract {
  const sharedKinds = byName(shared);
  const ofSource = new Map(sources.map(({ name, kinds }) => [name, byName(kinds)]));
  const envelopes = new Map(sources.map(({ name, envelope }) => [name, envelope]));
  const kinds = [...sharedKinds.values(), ...[...ofSource.values()].flatMap((own) => [...own.values()])];
  const find = (source: string, kind: string): KindContract | undefined =>
    // Most processes have no custom source.
    (ofSource.size === 0 ? sharedKinds : (ofSource.get(source) ?? sharedKinds)).get(kind);
  const envelopeOf = (source: string): Envelope => envelopes.get(source) ?? providerEnvelope;
  let personalNames: ReadonlySet<string> | undefined;
  return {
    kinds,
    sources,
    find,
    kindsMatching: (pattern) => [
      ...new Set(kinds.map(({ kind }) => kind).filter((kind) => patternMatches(pattern, kind))),
    ],
    envelopeOf,
    dataOf: (source, body) => envelopeOf(source).data(body),
    mask: (source, kind, data) => find(source, kind)?.mask(data) ?? maskAll(data),
    get personalNames() {
      return (personalNames ??= new Set(kinds.flatMap((kind) => kind.personalPaths.flatMap(lastName))));
    },
  };
}

/** Returns the same sources and envelopes without any kind, so that every event is unrecognized. */
export function withoutKinds(contract: Contract): Contract {
  return { ...contract, kinds: [], find: () => undefined };
}

/**
 * Adds where the bodies of sources hold an id, and what of them is not compared.
 *
 * @param configured the sources of the settings, whose fields replace those of a definition
 */
export function withSourceFields(
  contract: Contract,
  configured: ReadonlyMap<string, SourceFields> = new Map(),
): Contract {
  const names = new Set([...contract.sources.map(({ name }) => name), ...configured.keys()]);
  const envelopes = new Map<string, Envelope>();
  for (const name of names) {
    const defined = contract.sources.find((source) => source.name === name)?.fields;
    const { messageId, compare } = { ...defined, ...configured.get(name) };
    const envelope = contract.envelopeOf(name);
    const ignored = compare?.ignore.flatMap((path) => pathsInData(path.split('.'), envelope.dataPath)) ?? [];
    if (messageId === undefined && ignored.length === 0) continue;
    const idPath = typeof messageId === 'string' ? { idPath: messageId.split('.') } : {};
    const countsIds = messageId === undefined ? {} : ({ countsIds: true } as const);
    envelopes.set(name, { ...envelope, ...idPath, ...countsIds, ...(ignored.length > 0 && { ignored }) });
  }
  if (envelopes.size === 0) return contract;
  return { ...contract, envelopeOf: (source) => envelopes.get(source) ?? contract.envelopeOf(source) };
}

/** A path is relative to the data; one that begins with the path of the data may also be meant from the body. */
function pathsInData(
  path: readonly string[],
  dataPath: readonly string[] | null,
): readonly (readonly string[])[] {
  const isOfBody =
    dataPath !== null && dataPath.length > 0 && dataPath.every((step, at) => path[at] === step);
  const inner = isOfBody ? path.slice(dataPath.length) : [];
  return inner.length === 0 ? [path] : [path, inner];
}

function byName(kinds: readonly KindContract[]): ReadonlyMap<string, KindContract> {
  return new Map(kinds.map((kind) => [kind.kind, kind]));
}

/** The last step of a path. */
function lastName(path: string): readonly string[] {
  const name = path.split('.').findLast((part) => /\w/u.test(part));
  return name === undefined ? [] : [name];
}
