/** The words of charts. */
import { en, pt } from '../../pages/language/count.ts';
import type { Pairs } from '../../pages/language/pairs.ts';

export const chartWords = {
  title: ['The last 24 hours', 'As últimas 24 horas'],
  asOf: ['as of', 'até'],
  came: ['Accepted webhooks', 'Webhooks aceitos'],
  ended: ['Deliveries ended', 'Entregas encerradas'],
  backlog: ['Waiting', 'Aguardando'],
  oldest: ['Longest wait', 'Espera mais longa'],
  perMinute: (rate: string, minutes: number) => [
    `${rate} a minute in the last ${{ 1: 'minute', 60: 'hour' }[minutes] ?? `${String(minutes)} min`}`,
    `${rate} por minuto ${{ 1: 'no último minuto', 60: 'na última hora' }[minutes] ?? `nos últimos ${String(minutes)} min`}`,
  ],
  most: (value: string) => [`peak ${value}`, `pico ${value}`],
  none: ['none', 'nenhuma'],
  noNumbers: ['Nothing has happened in 24 hours.', 'Nada aconteceu em 24 horas.'],
  numbers: ['As a table', 'Como tabela'],
  total: (what: string, count: number, most: number) => [
    `${what}: ${en.number(count)} in 24 hours, peak ${en.number(most)} in half an hour.`,
    `${what}: ${pt.number(count)} em 24 horas, pico de ${pt.number(most)} em meia hora.`,
  ],
  highest: (what: string, now: string, most: string) => [
    `${what}: ${now} now, peak ${most} in 24 hours.`,
    `${what}: ${now} agora, pico de ${most} em 24 horas.`,
  ],
  share: ['Success', 'Sucesso'],
  course: ['24 hours', '24 horas'],
  successOf: (handler: string, succeeded: number, failed: number) => [
    `${handler}: ${en.number(succeeded)} succeeded, ${en.number(failed)} failed attempts in 24 hours.`,
    `${handler}: ${pt.number(succeeded)} com sucesso, ${pt.number(failed)} tentativas com falha em 24 horas.`,
  ],
  half: ['Half take up to', 'Metade leva até'],
  nearly: ['95 % take up to', '95 % levam até'],
  breaker: ['Breaker open', 'Disjuntor aberto'],
} satisfies Pairs;
