/** The words of the parts of an event's page: payload, attempts, and the command that sends it again. */
const english = {
  part: (pointer: string): string => `Part of the payload: ${pointer}`,
  back: 'Back to the event',
  noPart: 'The payload has no such part.',
  /** @param count `12,345` */
  characters: (count: string): string => `${count} characters`,
  next: 'Next part',
  moreChanges: (count: string): string => `${count} more fields differ; they are not listed.`,
  outcomes: {
    failed: 'failed',
    dead: 'failed, the last one',
    interrupted: 'ended with the process',
  },
  took: (time: string): string => `after ${time}`,
  nextDue: 'next',
  succeeded: 'succeeded',
  pruned: 'its error was pruned',
  timeline: (handler: string): string => `Attempts of ${handler} since the event arrived`,
  curl: 'Send it again with curl',
  curlTitle: (id: string): string => `Send ${id} again`,
  curlRepeat:
    'The same payload is recognized as a repeat and runs nothing. To run handlers again, use a replay; to test, change a value or send it elsewhere.',
  curlMasked: 'Personal data is masked in this command, so it sends another payload.',
  curlNone:
    'There is no command: the payload was pruned, is larger than 256 kB, or cannot be written while masked.',
  copy: 'Copy',
  copied: 'Copied',
  curlSecret: 'The secret is not shown. Set PORTARIA_SECRET in the shell first.',
};

const portuguese: typeof english = {
  part: (pointer) => `Parte do conteúdo: ${pointer}`,
  back: 'Voltar ao evento',
  noPart: 'O conteúdo não tem esta parte.',
  characters: (count) => `${count} caracteres`,
  next: 'Próxima parte',
  moreChanges: (count) => `Mais ${count} campos diferem; não estão listados.`,
  outcomes: { failed: 'falhou', dead: 'falhou, a última', interrupted: 'terminou com o processo' },
  took: (time) => `após ${time}`,
  nextDue: 'próxima',
  succeeded: 'concluída',
  pruned: 'o erro foi removido',
  timeline: (handler) => `Tentativas de ${handler} desde a chegada do evento`,
  curl: 'Enviar de novo com curl',
  curlTitle: (id) => `Enviar ${id} de novo`,
  curlRepeat:
    'O mesmo conteúdo é reconhecido como repetição e não executa nada. Para executar handlers de novo, use um reprocessamento; para testar, mude um valor ou envie para outro lugar.',
  curlMasked: 'Dados pessoais estão ocultos neste comando, então ele envia outro conteúdo.',
  curlNone:
    'Não há comando: o conteúdo foi removido, passa de 256 kB, ou não pode ser escrito com os dados ocultos.',
  copy: 'Copiar',
  copied: 'Copiado',
  curlSecret: 'O segredo não é mostrado. Defina PORTARIA_SECRET no shell antes.',
};

export const payloadWords = { en: english, 'pt-BR': portuguese };
