/** Makes flags of the conditions that the API and the console have: one vocabulary, and one text for each. */
import { InvalidArgumentError, Option, type Command } from 'commander';
import { z } from 'zod';
import { subjectParameter } from '../../view/parameters/conditions.ts';
import { parameterIssues } from '../../view/parameters/parameter-issues.ts';
import { repeatable } from './repeatable.ts';

/** How the help writes a value, where that is not the name of the flag. */
const values: Readonly<Record<string, string>> = {
  since: 'time',
  until: 'time',
  handler: 'name',
  source: 'name',
  actor: 'name',
  action: 'name',
  event: 'id',
  replay: 'id',
  company: 'id',
  'quarantined-for': 'reason',
};

/** Adds a flag for each condition: `event_id` is `--event`. Its parsed value is that of the condition. */
export function addConditions(command: Command, conditions: z.ZodRawShape): Command {
  for (const [name, condition] of Object.entries(conditions)) {
    const given = condition instanceof z.ZodOptional ? condition.unwrap() : condition;
    const flag = name.replace('_id', '').replaceAll('_', '-');
    const isList = given instanceof z.ZodPipe && given.out instanceof z.ZodArray;
    const about = `${helpText(condition, given)}${isList ? '; repeatable' : ''}`;
    const option = new Option(`--${flag} <${values[flag] ?? flag}>`, about);
    if (given instanceof z.ZodEnum) option.choices(given.options.map(String));
    else if (isList) option.argParser(repeatable);
    else option.argParser(parserOf(given));
    command.addOption(option);
  }
  return command;
}

/** The parser of a flag's value by the schema of a condition. */
function parserOf<Schema extends z.core.$ZodType>(condition: Schema): (value: string) => z.output<Schema> {
  return (value) => {
    const read = z.safeParse(condition, value);
    if (read.success) return read.data;
    throw new InvalidArgumentError(
      parameterIssues(read.error)
        .map(({ message }) => `${message}.`)
        .join(' '),
    );
  };
}

/** A subject written `family:id`. */
export const parseSubject = parserOf(subjectParameter);

/** The description of a condition, as the help of a command writes it. */
function helpText(...schemas: readonly z.core.$ZodType[]): string {
  const described = schemas.map((schema) => z.globalRegistry.get(schema)?.description);
  const text = described.find((each) => each !== undefined) ?? '';
  return text
    .replace(/^[A-Z]/u, (first) => first.toLowerCase())
    .replace(/[.]$/u, '')
    .replaceAll('`', '');
}
