/** Searches of payload fields, in terms of the store and of what a view shows. */
import { z } from 'zod';
import type { Contract } from '../../contract/contract.ts';
import type { Field, Fields } from '../../contract/fields.ts';
import type { KindContract } from '../../contract/kind-contract.ts';
import { MASK } from '../../contract/personal-data.ts';
import type { ContentQuery } from '../../event/content/content-query.ts';
import type { ContentSearch, ShownKinds } from '../../event/content/content-test.ts';
import { matchesContent, type ShownFields } from '../../event/content/match-content.ts';
import type { StoredDelivery } from '../../event/stored-event.ts';
import { sentPayload } from '../../view/payload/sent-payload.ts';
import type { Masking } from '../../view/payload/unmasking.ts';

/** Levels of fields that are described to the store; a schema may contain itself. Deeper ones are not searched. */
const MAX_LEVELS = 16;

const known = new WeakMap<Contract, ShownKinds>();

/** Describes a query to the store. While masked it searches no personal field: its values could be guessed. */
export function contentSearch(query: ContentQuery, { contract, unmask }: Masking): ContentSearch {
  let shown = known.get(contract);
  if (shown === undefined) {
    shown = shownKinds(contract);
    known.set(contract, shown);
  }
  const places = contract.sources.map(({ name, envelope }) => [name, envelope.dataPath] as const);
  return { query, shown: unmask ? null : shown, places: Object.fromEntries(places) };
}

/**
 * Whether an event that the store found matches what its view shows. The store knows neither the schemas, by
 * which a declared value of the wrong type is masked, nor the functions of custom sources.
 */
export function isShownMatch(event: StoredDelivery, query: ContentQuery, masking: Masking): boolean {
  const { shown } = sentPayload(event, masking);
  return matchesContent(shown, query, masking.unmask ? {} : { mask: MASK });
}

function shownKinds({ kinds, sources }: Contract): ShownKinds {
  const fieldsOf = (all: readonly KindContract[]) =>
    Object.fromEntries(all.map(({ kind, fields }) => [kind, shownFields(fields, MAX_LEVELS)]));
  return {
    shared: fieldsOf(kinds.filter(({ source }) => source === null)),
    ofSource: Object.fromEntries(sources.map(({ name, kinds: own }) => [name, fieldsOf(own)])),
  };
}

function shownFields(fields: Fields, levels: number): ShownFields {
  const shown = [...fields.values()].filter(({ personal }) => !personal && levels > 0);
  return Object.fromEntries(shown.map((field) => [field.name, shownField(field, levels - 1)]));
}

function shownField({ fields, schema }: Field, levels: number): ShownFields {
  if (fields.size > 0) return shownFields(fields, levels);
  // What an object without declared fields holds is masked.
  return schema instanceof z.ZodObject ? {} : true;
}
