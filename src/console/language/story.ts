/** The words of the story of a subject, in each language. */
import type { LaneState } from '../../operate/show/subject-lanes.ts';

/** Words of a subject's page besides its events: lanes, holds, machines along its axis. */
export interface StoryWords {
  readonly first: string;
  readonly last: string;
  readonly sources: string;
  readonly held: string;
  heldBy(who: string, reason: string): string;
  readonly lanes: string;
  readonly noLanes: string;
  readonly handler: string;
  readonly state: string;
  readonly next: string;
  readonly behind: string;
  readonly why: string;
  readonly states: Readonly<Record<LaneState, string>>;
  tryOf(attempt: number): string;
  afterTries(attempts: number): string;
  readonly goesOn: string;
  readonly nextAttempt: string;
  readonly unclaimedWhy: string;
  pausedBy(who: string): string;
  readonly dueWhy: string;
  behindOf(counted: string): string;
  readonly nothingBehind: string;
  readonly machines: string;
  readonly noMachines: string;
  readonly along: string;
  readonly shown: string;
}

const en: StoryWords = {
  first: 'First seen',
  last: 'Last seen',
  sources: 'Sources',
  held: 'Held',
  heldBy: (who, reason) => `not erased and not pruned, by ${who}: ${reason}`,
  lanes: 'What waits',
  noLanes: 'Nothing waits: every delivery of this subject has ended.',
  handler: 'Handler',
  state: 'State',
  next: 'At the head',
  behind: 'Behind it',
  why: 'Why',
  states: {
    running: 'running',
    unclaimed: 'not claimed',
    paused: 'paused',
    breaker: 'breaker open',
    retry: 'will be tried again',
    later: 'due later',
    due: 'due',
  },
  tryOf: (attempt) => `attempt ${String(attempt)}`,
  afterTries: (attempts) => `failed ${attempts === 1 ? 'once' : `${String(attempts)} times`}`,
  goesOn: 'goes on',
  nextAttempt: 'next attempt',
  unclaimedWhy: 'This process has no handler of this name.',
  pausedBy: (who) => `by ${who}`,
  dueWhy: 'Runs as soon as a place is free (PORTARIA_CONCURRENCY).',
  behindOf: (counted) => `${counted} more`,
  nothingBehind: 'nothing',
  machines: 'States of machines',
  noMachines: 'No machine follows it.',
  along: 'Order of versions beside order of arrival, with the states of machines',
  shown: 'The picture shows the events of this page.',
};

const pt: StoryWords = {
  first: 'Visto primeiro',
  last: 'Visto por último',
  sources: 'Origens',
  held: 'Retido',
  heldBy: (who, reason) => `não é apagado, por ${who}: ${reason}`,
  lanes: 'O que aguarda',
  noLanes: 'Nada aguarda: toda entrega deste sujeito terminou.',
  handler: 'Handler',
  state: 'Estado',
  next: 'Na frente',
  behind: 'Atrás dela',
  why: 'Por quê',
  states: {
    running: 'em execução',
    unclaimed: 'sem quem a tome',
    paused: 'em pausa',
    breaker: 'disjuntor aberto',
    retry: 'será tentada de novo',
    later: 'para mais tarde',
    due: 'na vez',
  },
  tryOf: (attempt) => `tentativa ${String(attempt)}`,
  afterTries: (attempts) => `falhou ${attempts === 1 ? 'uma vez' : `${String(attempts)} vezes`}`,
  goesOn: 'continua',
  nextAttempt: 'próxima tentativa',
  unclaimedWhy: 'Este processo não tem handler com este nome.',
  pausedBy: (who) => `por ${who}`,
  dueWhy: 'Roda assim que houver lugar (PORTARIA_CONCURRENCY).',
  behindOf: (counted) => `mais ${counted}`,
  nothingBehind: 'nada',
  machines: 'Estados das máquinas',
  noMachines: 'Nenhuma máquina o acompanha.',
  along: 'Ordem das versões ao lado da ordem de chegada, com os estados das máquinas',
  shown: 'O desenho mostra os eventos desta página.',
};

export const storyWords = { en, 'pt-BR': pt };
