/** Pauses, as command line, API and console show them. */
import { maskText } from '../kernel/text/scrub.ts';
import { z } from 'zod';
import { subjectName } from '../event/subject.ts';
import type { Pause, PauseScope } from '../store/pauses.ts';
import { instantText, instantTextOrNull } from './instant-text.ts';

export const pauseSchema = z
  .object({
    id: z.string().describe('`p` and a number.'),
    scope: z.string().describe('What is paused, in words: `handler billing, subject company:12`.'),
    handler: z
      .string()
      .nullable()
      .describe('The handler or machine, with the effects of a machine; null for every handler.'),
    source: z.string().nullable().describe('The source of the events; null for every source.'),
    subject: z.string().nullable().describe('The subject, `family:id`; null for every subject.'),
    reason: z.string().describe('Why, with likely personal data replaced.'),
    paused_by: z.string().describe('Who paused it.'),
    paused_at: z.iso.datetime().describe('Since when.'),
    until: z.iso.datetime().nullable().describe('When it ends by itself; null when an operator ends it.'),
    acknowledged_at: z.iso
      .datetime()
      .nullable()
      .describe('When the running process took note: nothing starts since then. Null before.'),
    dead_letter: z
      .string()
      .nullable()
      .describe('The failed delivery behind which the lane waits; null for an operator’s pause.'),
  })
  .meta({
    id: 'Pause',
    description:
      'A handler, a source or a lane that an operator has paused, or a lane that waits behind a failed delivery.',
  });

export type PauseView = z.infer<typeof pauseSchema>;

export function pauseView(pause: Pause): PauseView {
  const { id, handler, source, subject, reason, deadLetter } = pause;
  return {
    ...{ id, scope: scopeText(pause), handler, source },
    // Whoever may read sees it, so what an operator wrote of a person is masked.
    reason: deadLetter === null ? maskText(reason) : behindText(deadLetter),
    subject: subject === null ? null : subjectName(subject),
    paused_by: pause.pausedBy,
    paused_at: instantText(pause.pausedAt),
    until: instantTextOrNull(pause.until),
    acknowledged_at: instantTextOrNull(pause.acknowledgedAt),
    dead_letter: deadLetter,
  };
}

export function failedText(deadLetter: string): string {
  return `the failed delivery ${deadLetter}`;
}

/** Says what a lane behind a dead letter does. */
export function behindText(deadLetter: string): string {
  return `waits behind ${failedText(deadLetter)}`;
}

/** Says what a pause covers: `handler billing`, `source default`, or `handler billing, subject company:12`. */
export function scopeText({ handler, source, subject }: PauseScope): string {
  return [
    ...(handler === null ? [] : [`handler ${handler}`]),
    ...(source === null ? [] : [`source ${source}`]),
    ...(subject === null ? [] : [`subject ${subjectName(subject)}`]),
  ].join(', ');
}
