/** Schema of appeals. */
import { z } from 'zod';
import { expected } from '../field/expected.ts';
import { object, exampleSet, recordId } from '../field/schemas.ts';
import { timestamp } from '../field/time.ts';

/** The specification lists the first three, and an example shows the fourth. There may be more. */
export const appealStatuses = ['accepted', 'pending', 'rejected', 'deferred'] as const;

/** In the order of the proceedings: prior defense, board of appeals, state council. */
export const legalInstances = ['dp', 'jari', 'cetran'] as const;

export const appealObjectTypes = ['traffic_ticket', 'procedure'] as const;

/** An appeal (specification, Resources, Appeal). */
export const appeal = object({
  id: recordId.describe('Unique id of the appeal.'),
  user_id: recordId.nullish().describe('Id of the driver.'),
  legal_instance: z
    .union([exampleSet(legalInstances), object({})], { error: expected('a string or an object') })
    .nullish()
    .describe('The legal instance. The specification calls it an object and lists strings.'),
  status: exampleSet(appealStatuses).describe('State of the appeal.'),
  submitted_at: timestamp.nullish().describe('When it was submitted.'),
  reference_object_id: recordId.nullish().describe('Id of the infraction or procedure.'),
  reference_object_type: exampleSet(appealObjectTypes)
    .nullish()
    .describe('Type of the object: an infraction or a procedure.'),
  created_at: timestamp.nullish().describe('When the record was made.'),
  updated_at: timestamp.nullish().describe('When the record last changed.'),
}).meta({ title: 'Appeal' });
