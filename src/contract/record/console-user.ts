import { nonEmpty } from '../field/non-empty.ts';
import { object } from '../field/object.ts';
import { personal } from '../field/personal.ts';
import { text } from '../field/scalars.ts';
import { timestamp } from '../field/timestamp.ts';

/** A user of the console application (specification, Resources, Console user). */
export const consoleUser = object({
  id: nonEmpty('a non-empty string (ids of console users are strings)').describe(
    'Unique id of the console user: a string, unlike other ids.',
  ),
  name: personal(text).nullish().describe('Name of the person.'),
  email: personal(text).nullish().describe('E-mail address of the person.'),
  external_uid: text.nullish().describe("The caller's own identifier."),
  created_at: timestamp.nullish().describe('When the record was made.'),
  updated_at: timestamp
    .nullish()
    .describe('When the record last changed: orders the events of a console user.'),
}).meta({ title: 'Console user' });
