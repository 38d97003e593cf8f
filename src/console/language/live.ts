/** The words of the live page, in each language. */
import { counting } from '../../pages/language/count.ts';

const en = counting('en');
const pt = counting('pt-BR');

const liveEnglish = {
  heading: 'Events as they come',
  lead: 'Newest first, with what became of them.',
  hint: 'New rows wait while the pointer or the focus is on the table, or you are further down.',
  subject: 'Subject or family',
  subjectHint: 'company, or company:12',
  /** What the page says of its stream. */
  states: {
    connecting: 'connecting',
    live: 'live',
    lost: 'not connected: trying again',
    paused: 'frozen',
    hidden: 'frozen while this tab was hidden',
    full: 'not live: 50 pages are, or 10 of this session, which is the limit. Trying again',
    signedOut: 'not live: the session has ended',
  },
  stands: 'Portaria does not answer: this page shows what was. It tries again by itself.',
  pause: 'Freeze list',
  resume: 'Continue',
  /** `{n}` stands for the number of rows. */
  newRows: '{n} new',
  missed: (count: number): string =>
    `${en.many(count, 'event is', 'events are')} not shown: more came than this page shows, or it was away for long.`,
  rejected: (count: number): string =>
    `${en.many(count, 'webhook was', 'webhooks were')} rejected in 24 hours: not stored, and so not here.`,
  list: 'All of them, in the list of events',
  empty: 'No webhook has arrived yet. It appears here as soon as it does.',
  emptyFiltered: 'None of the newest 1,000 events matches. The next one that does appears here.',
  still: 'Without JavaScript this page stands still.',
  again: 'Load it again',
  tooMany:
    '50 live pages are open, or 10 of this session, which is the limit. Close one, or try again later.',
};

const livePortuguese: typeof liveEnglish = {
  heading: 'Eventos conforme chegam',
  lead: 'Os mais novos primeiro, com o que foi feito deles.',
  hint: 'Linhas novas esperam com o ponteiro ou o foco na tabela, ou mais abaixo na página.',
  subject: 'Objeto ou família',
  subjectHint: 'company, ou company:12',
  states: {
    connecting: 'conectando',
    live: 'ao vivo',
    lost: 'sem conexão: tentando de novo',
    paused: 'congelada',
    hidden: 'congelada enquanto esta aba estava oculta',
    full: 'não está ao vivo: 50 páginas já estão, ou 10 desta sessão, o limite. Tentando de novo',
    signedOut: 'não está ao vivo: a sessão terminou',
  },
  stands: 'O Portaria não responde: esta página mostra o que havia. Ela tenta de novo sozinha.',
  pause: 'Congelar lista',
  resume: 'Continuar',
  newRows: 'novos: {n}',
  missed: (count) =>
    `${pt.many(count, 'evento não é mostrado', 'eventos não são mostrados')}: chegaram mais do que esta página mostra, ou ela ficou muito tempo ausente.`,
  rejected: (count) =>
    `${pt.many(count, 'webhook foi recusado', 'webhooks foram recusados')} em 24 horas: não ficam guardados, nem aparecem aqui.`,
  list: 'Todos, na lista de eventos',
  empty: 'Nenhum webhook chegou ainda. Ele aparece aqui assim que chegar.',
  emptyFiltered: 'Nenhum dos 1.000 eventos mais novos corresponde. O próximo que corresponder aparece aqui.',
  still: 'Sem JavaScript esta página fica parada.',
  again: 'Carregar de novo',
  tooMany: '50 páginas ao vivo estão abertas, ou 10 desta sessão, o limite. Feche uma, ou tente mais tarde.',
};

/** The words of the live page. */
export const liveWords = { en: liveEnglish, 'pt-BR': livePortuguese };

const keyEnglish = {
  open: 'Keys',
  close: 'Close',
  list: [
    ['?', 'these keys'],
    ['/', 'search'],
    ['j', 'next row'],
    ['k', 'previous row'],
    ['Enter', 'open the row'],
    ['p', 'freeze the live list, and continue'],
    ['n', 'show the new rows of the live page'],
  ] satisfies readonly (readonly [keys: string, meaning: string])[],
};

const keyPortuguese: typeof keyEnglish = {
  open: 'Teclas',
  close: 'Fechar',
  list: [
    ['?', 'estas teclas'],
    ['/', 'buscar'],
    ['j', 'próxima linha'],
    ['k', 'linha anterior'],
    ['Enter', 'abrir a linha'],
    ['p', 'congelar a lista ao vivo, e continuar'],
    ['n', 'mostrar as linhas novas da página ao vivo'],
  ],
};

/** The words of the dialog of keys. */
export const keyWords = { en: keyEnglish, 'pt-BR': keyPortuguese };
