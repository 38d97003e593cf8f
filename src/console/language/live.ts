/** The words of the live page. */
import { en, pt } from '../../pages/language/count.ts';
import type { Pairs } from '../../pages/language/pairs.ts';

export const liveWords = {
  heading: ['Events as they come', 'Eventos conforme chegam'],
  lead: ['Newest first, with what became of them.', 'Os mais novos primeiro, com o que foi feito deles.'],
  hint: [
    'New rows wait while the pointer or the focus is on the table, or you are further down.',
    'Linhas novas esperam com o ponteiro ou o foco na tabela, ou mais abaixo na página.',
  ],
  subject: ['Subject or family', 'Objeto ou família'],
  subjectHint: ['company, or company:12', 'company, ou company:12'],
  /** What the page says of its stream. */
  states: {
    connecting: ['connecting', 'conectando'],
    live: ['live', 'ao vivo'],
    lost: ['not connected: trying again', 'sem conexão: tentando de novo'],
    paused: ['frozen', 'congelada'],
    hidden: ['frozen while this tab was hidden', 'congelada enquanto esta aba estava oculta'],
    full: [
      'not live: too many live pages are open. Trying again',
      'não está ao vivo: há páginas ao vivo demais. Tentando de novo',
    ],
    signedOut: ['not live: the session has ended', 'não está ao vivo: a sessão terminou'],
  },
  stands: [
    'Portaria does not answer: this page shows what was. It tries again by itself.',
    'O Portaria não responde: esta página mostra o que havia. Ela tenta de novo sozinha.',
  ],
  pause: ['Freeze list', 'Congelar lista'],
  resume: ['Continue', 'Continuar'],
  /** `{n}` stands for the number of rows. */
  newRows: ['{n} new', 'novos: {n}'],
  missed: (count: number) => [
    `${en.many(count, 'event is', 'events are')} not shown: more came than this page shows, or it was away for long.`,
    `${pt.many(count, 'evento não é mostrado', 'eventos não são mostrados')}: chegaram mais do que esta página mostra, ou ela ficou muito tempo ausente.`,
  ],
  rejected: (count: number) => [
    `${en.many(count, 'webhook was', 'webhooks were')} rejected in 24 hours: not stored, and so not here.`,
    `${pt.many(count, 'webhook foi rejeitado', 'webhooks foram rejeitados')} em 24 horas: o que é rejeitado não fica guardado, nem aparece aqui.`,
  ],
  list: ['All of them, in the list of events', 'Todos, na lista de eventos'],
  empty: [
    'No webhook has arrived yet. It appears here as soon as it does.',
    'Nenhum webhook chegou ainda. Ele aparece aqui assim que chegar.',
  ],
  emptyFiltered: [
    'None of the newest 1,000 events matches. The next one that does appears here.',
    'Nenhum dos 1.000 eventos mais novos corresponde. O próximo que corresponder aparece aqui.',
  ],
  still: ['Without JavaScript this page stands still.', 'Sem JavaScript esta página fica parada.'],
  again: ['Load it again', 'Carregar de novo'],
  tooMany: [
    'Too many live pages are open: 50 in all, or 10 of yours. Close one, or try again later.',
    'Há páginas ao vivo demais: 50 no total, ou 10 suas. Feche uma, ou tente mais tarde.',
  ],
} satisfies Pairs;

export const keyWords = {
  open: ['Keys', 'Teclas'],
  close: ['Close', 'Fechar'],
  list: {
    '?': ['these keys', 'estas teclas'],
    '/': ['search', 'buscar'],
    j: ['next row', 'próxima linha'],
    k: ['previous row', 'linha anterior'],
    Enter: ['open the row', 'abrir a linha'],
    p: ['freeze the live list, and continue', 'congelar a lista ao vivo, e continuar'],
    n: ['show the new rows of the live page', 'mostrar as linhas novas da página ao vivo'],
  },
} satisfies Pairs;
