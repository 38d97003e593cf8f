/** The words of the story of a subject. */
import type { Pair, Pairs } from '../../pages/language/pairs.ts';
import type { LaneState } from '../../operate/show/subject-lanes.ts';

export const storyWords = {
  first: ['First seen', 'Visto primeiro'],
  last: ['Last seen', 'Visto por último'],
  sources: ['Sources', 'Origens'],
  held: ['Held', 'Retido'],
  heldBy: (who: string, reason: string) => [
    `not erased and not deleted by age, by ${who}: ${reason}`,
    `não é apagado nem removido por idade, por ${who}: ${reason}`,
  ],
  lanes: ['What waits', 'O que aguarda'],
  noLanes: [
    'Nothing waits: every delivery of this subject has ended.',
    'Nada aguarda: todas as entregas deste objeto terminaram.',
  ],
  next: ['First in line', 'Primeira da fila'],
  behind: ['Behind it', 'Atrás dela'],
  states: {
    running: ['running', 'em execução'],
    unclaimed: ['no handler', 'sem handler'],
    paused: ['paused', 'em pausa'],
    held: ['behind a failed delivery', 'atrás de uma entrega que falhou'],
    breaker: ['breaker open', 'disjuntor aberto'],
    rate: ['at its limit of calls', 'no limite de chamadas'],
    retry: ['retrying', 'tentando de novo'],
    later: ['due later', 'para mais tarde'],
    due: ['next to run', 'a próxima'],
  } satisfies Readonly<Record<LaneState, Pair>>,
  tryOf: (attempt: number) => [`attempt ${String(attempt)}`, `tentativa ${String(attempt)}`],
  afterTries: (attempts: number) => [
    `failed ${attempts === 1 ? 'once' : `${String(attempts)} times`}`,
    `falhou ${attempts === 1 ? 'uma vez' : `${String(attempts)} vezes`}`,
  ],
  goesOn: ['goes on', 'continua'],
  nextAttempt: ['next attempt', 'próxima tentativa'],
  unclaimedWhy: ['This process has no handler of this name.', 'Este processo não tem handler com este nome.'],
  pausedBy: (who: string) => [`by ${who}`, `por ${who}`],
  dueWhy: ['Runs as soon as another delivery ends.', 'Começa assim que outra entrega terminar.'],
  behindOf: (counted: string) => [`${counted} more`, `mais ${counted}`],
  nothingBehind: ['nothing', 'nada'],
  skip: ['Discard this one…', 'Descartar esta…'],
  machines: ['States of machines', 'Estados das máquinas'],
  along: [
    'By version and by arrival, with the states of machines',
    'Ordem das versões ao lado da ordem de chegada, com os estados das máquinas',
  ],
  shown: ['The picture shows the events of this page.', 'O desenho mostra os eventos desta página.'],
} satisfies Pairs;
