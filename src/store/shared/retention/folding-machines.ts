/** The machines that must be able to fold before events are pruned. */
import { sql } from 'kysely';
import { selectMachines } from '../machines/machine-reads.ts';
import type { Dialect } from '../sql/dialect.ts';
import { rows, type Write } from '../sql/statements.ts';
import { namedSubjects, type FoldedSubjects, type OldEvent } from './prune-pages.ts';

/** What machines have to do with some subjects. */
export type Folds = Pick<FoldedSubjects, 'folded' | 'busy'>;

/** Returns the machines with a state of each of these subjects, and which of them wait for a fold or an effect. */
export function* foldsOf(
  dialect: Pick<Dialect, 'isAnyOf'>,
  events: readonly Pick<OldEvent, 'subject_id'>[],
): Write<Folds> {
  const subjects = [...new Set(events.map((row) => row.subject_id))];
  if (subjects.length === 0) return { folded: new Map(), busy: new Set() };
  const machines = (yield* rows(selectMachines)).map(({ machine }) => machine);
  // The key begins with the machine, so each name is looked up with each subject.
  const states = yield* rows(sql<{ machine: string; subject_id: number }>`
    select machine, subject_id from machine_states
    where ${dialect.isAnyOf('machine', machines, 'text')} and ${dialect.isAnyOf('subject_id', subjects, 'bigint')}`);
  // A machine runs its deliveries in lanes of subjects.
  const waiting = yield* rows(sql<{ lane: number }>`
    select distinct lane from deliveries
    where ${dialect.isAnyOf('handler', handlersOf(machines), 'text')}
      and ${dialect.isAnyOf('lane', subjects, 'bigint')} and finished_at is null`);
  const bySubject = Map.groupBy(states, (row) => row.subject_id);
  return {
    folded: new Map([...bySubject].map(([subject, all]) => [subject, all.map(({ machine }) => machine)])),
    busy: new Set(waiting.map(({ lane }) => lane)),
  };
}

/** As {@link foldsOf}, with the names of the subjects that a machine knows. */
export function* foldedSubjects(
  dialect: Pick<Dialect, 'isAnyOf'>,
  events: readonly OldEvent[],
): Write<FoldedSubjects> {
  const folds = yield* foldsOf(dialect, events);
  const named = yield* rows(sql<{ id: number; source: string; family: string; entity: string }>`
    select id, source, family, entity from subjects
    where ${dialect.isAnyOf('id', [...folds.folded.keys()], 'bigint')}`);
  return { ...folds, subjects: namedSubjects(named) };
}

/** The rows that no machine waits for, and whose machines are all among these. */
export function prunableWith<R extends Pick<OldEvent, 'subject_id'>>(
  found: readonly R[],
  { folded, busy }: Folds,
  machines: readonly string[],
): readonly R[] {
  return found.filter(
    ({ subject_id: subject }) =>
      !busy.has(subject) && (folded.get(subject) ?? []).every((machine) => machines.includes(machine)),
  );
}

/** The handlers of machines: those that fold, and those that run effects. */
export function handlersOf(machines: readonly string[]): readonly string[] {
  return machines.flatMap((machine) => [machine, `${machine}/effects`]);
}
