/** What a look at the provider found of a subject, as commands show it. */
import type { Contract } from '../contract/contract.ts';
import type { Family } from '../contract/family.ts';
import { memberAt, type JsonValue } from '../kernel/json/json.ts';
import type { SubjectDifference } from './judge-subject.ts';
import { kindsOf } from './record-lists.ts';

/** Personal values of fields are masked. */
export interface SubjectDifferenceView extends Omit<SubjectDifference, 'changedAt'> {
  readonly changed_at: string | null;
  /** Id of a body about it that the quarantine holds. */
  readonly quarantined: string | null;
  /** The handlers that take the event of its repair. */
  readonly handlers: readonly string[];
}

/** The kind whose mask covers the fields of a record. */
function updatedKind(family: Family): string {
  return kindsOf(family).find((kind) => kind.endsWith('.updated')) ?? '';
}

export function differenceView(
  { fields, changedAt, ...found }: SubjectDifference,
  about: {
    readonly family: Family;
    readonly source: string;
    readonly contract: Pick<Contract, 'mask'>;
    readonly held: string | undefined;
    readonly handlers: readonly string[];
  },
  { unmask }: { readonly unmask: boolean },
): SubjectDifferenceView {
  const kind = updatedKind(about.family);
  const shown = (path: string, value: JsonValue): JsonValue =>
    unmask
      ? value
      : (memberAt(about.contract.mask(about.source, kind, nested(path, value)), path.split('.')) ?? null);
  return {
    ...found,
    changed_at: changedAt,
    fields: fields.map(({ path, ours, theirs }) => ({
      path,
      ours: shown(path, ours),
      theirs: shown(path, theirs),
    })),
    quarantined: about.held ?? null,
    handlers: about.handlers,
  };
}

/** An object that has the value at a path, and nothing else: what the mask of a payload takes. */
function nested(path: string, value: JsonValue): JsonValue {
  return path.split('.').reduceRight<JsonValue>((inner, name) => ({ [name]: inner }), value);
}
