/** The value of a body that does not fit. */
import { isPersonalPath } from '../../contract/personal-data.ts';
import { ownMember, type JsonValue } from '../../kernel/json/json.ts';
import { scrub } from '../../kernel/text/scrub.ts';

/** Characters of a value that are shown. */
const MAX_LENGTH = 100;

/** A step of a path: `.name`, `[0]` or `["a name"]`. */
const STEP = /\.([A-Za-z_$][\w$]*)|\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\]/gu;

/** The steps of an issue's path below `data`; a step of a list is a number. */
export function issueSteps(path: string): readonly (string | number)[] {
  return [...path.matchAll(STEP)].map(([, name, index, quoted]) =>
    index === undefined ? (name ?? (JSON.parse(`"${quoted ?? ''}"`) as string)) : Number(index),
  );
}

function listMember(value: JsonValue | undefined, index: number): JsonValue | undefined {
  return Array.isArray(value) ? (value as readonly JsonValue[])[index] : undefined;
}

/** A text whose digits are 9 and whose letters are A: what a field holds, but nobody's data. */
function shapeOf(text: string): string {
  const shape = text.slice(0, MAX_LENGTH).replaceAll(/\p{L}/gu, 'A').replaceAll(/\p{N}/gu, '9');
  return `text: ${shape.replaceAll(/[^A9\s.,:;/+-]/gu, '?')}${text.length > MAX_LENGTH ? '…' : ''}`;
}

/** Words of a sentence, such as a name and an address, may have come into any field; a number or a time with spaces is none. */
function isOneWord(text: string): boolean {
  return /^(?:\S*|[\d\s.,:;/+-]*)$/u.test(text);
}

/** Where an object with personal fields belongs, a sender may have put their content as one text. */
function mayBePersonal(path: string, personalPaths: readonly string[]): boolean {
  return (
    path === '' ||
    isPersonalPath(path, personalPaths) ||
    personalPaths.some((personal) => personal.startsWith(`${path}.`))
  );
}

/**
 * Returns the value that an issue names as JSON, 100 characters at most. Null where there is none, where it is an object
 * or a list, and where the field is personal or has personal ones. Of several words only the shape.
 *
 * @param path of the issue, for example `data.items[0].amount`
 * @param personalPaths the dotted paths of personal fields; null to show all
 */
export function offendingValue(
  data: JsonValue,
  path: string,
  personalPaths: readonly string[] | null,
): string | null {
  const steps = issueSteps(path);
  const names = steps.filter((step) => typeof step === 'string').join('.');
  if (personalPaths !== null && mayBePersonal(names, personalPaths)) return null;
  let value: JsonValue | undefined = data;
  for (const step of steps)
    value = typeof step === 'number' ? listMember(value, step) : ownMember(value, step);
  if (value === undefined || (typeof value === 'object' && value !== null)) return null;
  if (personalPaths !== null && typeof value === 'string' && !isOneWord(value)) return shapeOf(value);
  const text = JSON.stringify(value);
  // A number keeps no zeros at its front: eight digits may be a CPF.
  const shown = personalPaths === null ? text : scrub(text).replaceAll(/\d{8,}/gu, '<number>');
  return shown.length > MAX_LENGTH ? `${shown.slice(0, MAX_LENGTH)}…` : shown;
}
