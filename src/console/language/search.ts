/** The words of the search: its progress, its limits and its language. */
import type { Pairs } from '../../pages/language/pairs.ts';
export const searchWords = {
  where: ['Field of the payload', 'Campo do conteúdo'],
  whereHint: ['data.status = paid', 'data.status = paid'],
  contains: ['Text in the payload', 'Texto no conteúdo'],
  /** @param count `1,234`, or `10,000+` */
  count: (count: string, one: boolean) => [
    `${count} ${one ? 'event matches' : 'events match'}.`,
    `${count} ${one ? 'evento corresponde' : 'eventos correspondem'}.`,
  ],
  /**
   * @param count `12`, or `50+`
   * @param one the same as a number
   * @param looked how many events were looked at
   * @param further whether newer ones were looked at for a page before
   */
  among: (count: string, one: number, looked: string, further: boolean) => [
    `${count} of the ${further ? 'next' : 'newest'} ${looked} events ${one === 1 ? 'matches' : 'match'}.`,
    `${count} dos ${further ? 'próximos' : 'últimos'} ${looked} eventos ${one === 1 ? 'corresponde' : 'correspondem'}.`,
  ],
  looked: (count: string) => [`Searched ${count} events, back to`, `${count} eventos examinados, até`],
  further: ['Search further back', 'Buscar mais para trás'],
  tooOld: [
    'Older events are out of the period, apart from imported ones.',
    'Eventos anteriores estão fora do período, a não ser os importados.',
  ],
  noneYet: ['No event matches so far.', 'Nenhum evento corresponde até aqui.'],
  none: ['No event matches.', 'Nenhum evento corresponde.'],
  masked: ['Fields with personal data were not searched.', 'Campos com dados pessoais não foram buscados.'],
  unmasked: [
    'Personal data was searched, too. The audit records it.',
    'Dados pessoais também foram buscados. A auditoria registra isso.',
  ],
  unmask: ['Search personal data, too', 'Buscar também dados pessoais'],
  help: ['What can be searched', 'O que pode ser buscado'],
  helpRows: {
    '7gk2m9-12': [
      'an event; q3 is a webhook in quarantine, j2 a job',
      'um evento; q3 é um webhook em quarentena; j2, um job',
    ],
    billing: ['a handler, by its whole name', 'um handler, pelo nome inteiro'],
    'company:12': ['a subject', 'um objeto'],
    'charge.*': ['a kind, or a wildcard', 'um tipo, ou um padrão'],
    'data.status = paid': ['a field: = != > >= < <= contains', 'um campo: = != > >= < <= contains'],
    'data.amount > 100.50 and data.items.id = 7': [
      'both; a list matches by any item',
      'ambos; uma lista corresponde por qualquer item',
    ],
    'data.document = "0012"': [
      'in quotes: a string, never a number',
      'entre aspas: um texto, nunca um número',
    ],
    '"Serra Azul"': ['a text in any value of the payload', 'um texto em qualquer valor do conteúdo'],
    'kind:charge.* status:dead since:2h': [
      'also source: flag: verdict: until: subject:',
      'também source: flag: verdict: until: subject:',
    ],
  },
} satisfies Pairs;
