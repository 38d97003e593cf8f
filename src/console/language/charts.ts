/** The words of charts, in each language. */
import { counting } from '../../pages/language/count.ts';

const { number } = counting('en');

const english = {
  title: 'The last 24 hours',
  asOf: 'as of',
  came: 'Accepted webhooks',
  ended: 'Deliveries ended',
  backlog: 'Backlog',
  oldest: 'Oldest unfinished',
  perMinute: (rate: string): string => `${rate} a minute in the last hour`,
  most: (value: string): string => `at most ${value}`,
  none: 'none',
  noNumbers: 'Nothing has happened in 24 hours while Portaria ran. There are no numbers yet.',
  numbers: 'As a table',
  numbersOf: (handler: string): string => `As a table: ${handler}`,
  from: 'From',
  total: (what: string, count: number, most: number): string =>
    `${what}: ${number(count)} in 24 hours, at most ${number(most)} in half an hour.`,
  highest: (what: string, now: string, most: string): string =>
    `${what}: ${now} now, at most ${most} in 24 hours.`,
  success: 'Success by handler',
  handler: 'Handler',
  succeeded: 'Succeeded',
  failed: 'Failed attempts',
  share: 'Success',
  course: '24 hours',
  successOf: (handler: string, succeeded: number, failed: number): string =>
    `${handler}: ${number(succeeded)} succeeded, ${number(failed)} failed attempts in 24 hours.`,
  kindOf: (kind: string, count: number, most: number): string =>
    `${kind}: ${number(count)} in 24 hours, at most ${number(most)} in an hour.`,
  duration: 'Duration of an attempt',
  half: 'half within',
  nearly: '95 % within',
  durationOf: (half: string, nearly: string): string =>
    `In the slowest half hour, half of the attempts took ${half} at most, 95 % of them ${nearly}.`,
  failures: 'Failed attempts',
  failuresOf: (failed: number, dead: number): string =>
    failed === 0
      ? 'No attempt failed in 24 hours.'
      : `${number(failed)} ${failed === 1 ? 'attempt' : 'attempts'} failed in 24 hours, ${number(dead)} of them the last of its delivery.`,
  breaker: 'Breaker',
  breakerNow: { open: 'open now', closed: 'closed' },
  breakerOpened: 'It has just opened.',
  breakerOf: (length: string | null): string =>
    length === null ? 'It was never open in 24 hours.' : `It was open for ${length} in 24 hours.`,
};

const { number: numero } = counting('pt-BR');

const portuguese: typeof english = {
  title: 'As últimas 24 horas',
  asOf: 'até',
  came: 'Webhooks aceitos',
  ended: 'Entregas encerradas',
  backlog: 'Em espera',
  oldest: 'Mais antiga em aberto',
  perMinute: (rate) => `${rate} por minuto na última hora`,
  most: (value) => `no máximo ${value}`,
  none: 'nenhuma',
  noNumbers: 'Nada aconteceu em 24 horas enquanto o Portaria rodava. Ainda não há números.',
  numbers: 'Como tabela',
  numbersOf: (handler) => `Como tabela: ${handler}`,
  from: 'De',
  total: (what, count, most) =>
    `${what}: ${numero(count)} em 24 horas, no máximo ${numero(most)} em meia hora.`,
  highest: (what, now, most) => `${what}: ${now} agora, no máximo ${most} em 24 horas.`,
  success: 'Sucesso por handler',
  handler: 'Handler',
  succeeded: 'Com sucesso',
  failed: 'Tentativas com falha',
  share: 'Sucesso',
  course: '24 horas',
  successOf: (handler, succeeded, failed) =>
    `${handler}: ${numero(succeeded)} com sucesso, ${numero(failed)} tentativas com falha em 24 horas.`,
  kindOf: (kind, count, most) =>
    `${kind}: ${numero(count)} em 24 horas, no máximo ${numero(most)} em uma hora.`,
  duration: 'Duração de uma tentativa',
  half: 'metade em até',
  nearly: '95 % em até',
  durationOf: (half, nearly) =>
    `Na meia hora mais lenta, metade das tentativas levou no máximo ${half}, 95 % delas ${nearly}.`,
  failures: 'Tentativas com falha',
  failuresOf: (failed, dead) =>
    failed === 0
      ? 'Nenhuma tentativa falhou em 24 horas.'
      : `${numero(failed)} ${failed === 1 ? 'tentativa falhou' : 'tentativas falharam'} em 24 horas, ${numero(dead)} delas a última da sua entrega.`,
  breaker: 'Disjuntor',
  breakerNow: { open: 'aberto agora', closed: 'fechado' },
  breakerOpened: 'Acaba de abrir.',
  breakerOf: (length) =>
    length === null ? 'Não abriu nenhuma vez em 24 horas.' : `Ficou aberto por ${length} em 24 horas.`,
};

/** The words about charts, in the overview and on the page of handlers. */
export const chartWords = { en: english, 'pt-BR': portuguese };
