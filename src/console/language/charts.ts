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
  perMinute: (rate: string, minutes: number): string =>
    `${rate} a minute in the last ${minutes === 60 ? 'hour' : `${String(minutes)} min`}`,
  most: (value: string): string => `at most ${value}`,
  none: 'none',
  noNumbers: 'Nothing has happened in 24 hours while Portaria ran. There are no numbers yet.',
  numbers: 'As a table',
  total: (what: string, count: number, most: number): string =>
    `${what}: ${number(count)} in 24 hours, at most ${number(most)} in half an hour.`,
  highest: (what: string, now: string, most: string): string =>
    `${what}: ${now} now, at most ${most} in 24 hours.`,
  success: 'Success by handler',
  failed: 'Failed attempts',
  share: 'Success',
  course: '24 hours',
  successOf: (handler: string, succeeded: number, failed: number): string =>
    `${handler}: ${number(succeeded)} succeeded, ${number(failed)} failed attempts in 24 hours.`,
  kindOf: (kind: string, count: number, most: number): string =>
    `${kind}: ${number(count)} in 24 hours, at most ${number(most)} in an hour.`,
  half: 'half within',
  nearly: '95 % within',
  breaker: 'Breaker open',
};

const { number: numero } = counting('pt-BR');

const portuguese: typeof english = {
  title: 'As últimas 24 horas',
  asOf: 'até',
  came: 'Webhooks aceitos',
  ended: 'Entregas encerradas',
  backlog: 'Em espera',
  oldest: 'Mais antiga em aberto',
  perMinute: (rate, minutes) =>
    `${rate} por minuto ${minutes === 60 ? 'na última hora' : `nos últimos ${String(minutes)} min`}`,
  most: (value) => `no máximo ${value}`,
  none: 'nenhuma',
  noNumbers: 'Nada aconteceu em 24 horas enquanto o Portaria rodava. Ainda não há números.',
  numbers: 'Como tabela',
  total: (what, count, most) =>
    `${what}: ${numero(count)} em 24 horas, no máximo ${numero(most)} em meia hora.`,
  highest: (what, now, most) => `${what}: ${now} agora, no máximo ${most} em 24 horas.`,
  success: 'Sucesso por handler',
  failed: 'Tentativas com falha',
  share: 'Sucesso',
  course: '24 horas',
  successOf: (handler, succeeded, failed) =>
    `${handler}: ${numero(succeeded)} com sucesso, ${numero(failed)} tentativas com falha em 24 horas.`,
  kindOf: (kind, count, most) =>
    `${kind}: ${numero(count)} em 24 horas, no máximo ${numero(most)} em uma hora.`,
  half: 'metade em até',
  nearly: '95 % em até',
  breaker: 'Disjuntor aberto',
};

/** The words about charts, in the overview and on the page of handlers. */
export const chartWords = { en: english, 'pt-BR': portuguese };
