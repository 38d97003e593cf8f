/** The words of the parts of an event's page: payload, attempts, and the command that sends it again. */
import type { Pairs } from '../../pages/language/pairs.ts';
export const payloadWords = {
  part: (pointer: string) => [`Part of the payload: ${pointer}`, `Parte do conteúdo: ${pointer}`],
  back: ['Back to the event', 'Voltar ao evento'],
  noPart: ['The payload has no such part.', 'O conteúdo não tem esta parte.'],
  /** @param count `12,345` */
  characters: (count: string) => [`${count} characters`, `${count} caracteres`],
  next: ['Next part', 'Próxima parte'],
  moreChanges: (count: string) => [
    `${count} more fields differ; they are not listed.`,
    `Mais ${count} campos diferem; não estão listados.`,
  ],
  outcomes: {
    failed: ['failed', 'falhou'],
    dead: ['failed', 'falhou'],
    interrupted: ['the process ended', 'o processo terminou'],
  },
  took: (time: string) => [`after ${time}`, `após ${time}`],
  nextDue: ['next', 'próxima'],
  succeeded: ['succeeded', 'concluída'],
  pruned: ['its error was deleted', 'o erro foi apagado'],
  sameError: (attempt: number) => [
    `same error as attempt ${String(attempt)}`,
    `mesmo erro da tentativa ${String(attempt)}`,
  ],
  curl: ['Send it again with curl', 'Enviar de novo com curl'],
  curlTitle: (id: string) => [`Send ${id} again`, `Enviar ${id} de novo`],
  curlRepeat: [
    'The same payload is a repeat and runs nothing. To run handlers again, use a replay; to test, change a value or send it elsewhere.',
    'O mesmo conteúdo é uma repetição e não executa nada. Para executar handlers de novo, use um reprocessamento; para testar, mude um valor ou envie para outro lugar.',
  ],
  curlMasked: [
    'Personal data is masked in this command, so it sends another payload.',
    'Dados pessoais estão ocultos neste comando, então ele envia outro conteúdo.',
  ],
  curlNone: [
    'There is no command: the payload was pruned, is larger than 256 kB, or cannot be written while masked.',
    'Não há comando: o conteúdo foi removido, passa de 256 kB, ou não pode ser escrito com os dados ocultos.',
  ],
  copy: ['Copy', 'Copiar'],
  copied: ['Copied', 'Copiado'],
  curlSecret: [
    'The secret is not shown. Set PORTARIA_SECRET in the shell first.',
    'O segredo não é mostrado. Defina PORTARIA_SECRET no shell antes.',
  ],
} satisfies Pairs;
