import { printable } from '../../kernel/text/printable.ts';

/** A value as JSON over several lines, each indented by two spaces. */
export function indentedJson(value: unknown): string {
  return printable(JSON.stringify(value, null, 2)).replaceAll(/^/gm, '  ');
}
