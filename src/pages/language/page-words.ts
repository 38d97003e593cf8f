/** The words of the document, of lists and of errors, in each language. */
import type { Language } from './languages.ts';

const languages: Readonly<Record<Language, string>> = { en: 'English', 'pt-BR': 'Português' };

const en = {
  frame: {
    pages: 'Pages',
    skip: 'Skip to the content',
    visitor: (name: string): string => (name === 'loopback' ? 'this machine' : name),
    languages,
  },
  list: {
    next: 'Older',
    first: 'Newest',
    any: 'any',
    filter: 'Filter',
    timeNote: 'Times as 2026-11-22 13:00, or as 30m, 2h or 7d before now. Zone:',
  },
  errors: {
    stale: 'This form is too old',
    staleWhy:
      'It was rendered before the server started, or for another session. Reload the page and send it again.',
    failed: 'This did not work',
  },
};

export type PageWords = typeof en;

const pt: PageWords = {
  frame: {
    pages: 'Páginas',
    skip: 'Ir para o conteúdo',
    visitor: (name) => (name === 'loopback' ? 'esta máquina' : name),
    languages,
  },
  list: {
    next: 'Mais antigos',
    first: 'Mais novos',
    any: 'qualquer',
    filter: 'Filtrar',
    timeNote: 'Horários como 2026-11-22 13:00, ou 30m, 2h ou 7d antes de agora. Fuso:',
  },
  errors: {
    stale: 'Este formulário é antigo demais',
    staleWhy:
      'Ele é de antes do início do servidor, ou de outra sessão. Recarregue a página e envie de novo.',
    failed: 'Isto não funcionou',
  },
};

/** The words of all pages, by language. */
export const pageWords: Readonly<Record<Language, PageWords>> = { en, 'pt-BR': pt };
