import { connect, type RawAnswer } from '../../support/raw-connection.ts';

/**
 * Sends bytes on a new connection, ends it, and returns every final response until the server closes it.
 *
 * @throws Error when the server sends something that is not a response.
 */
export async function exchange(url: string, text: string): Promise<readonly RawAnswer[]> {
  const connection = await connect(Number(new URL(url).port));
  connection.socket.end(Buffer.from(text, 'latin1'));
  const answers: RawAnswer[] = [];
  for (;;) {
    const answer = await connection.answer().catch((error: unknown) => String(error));
    if (typeof answer !== 'string') {
      if (answer.status >= 200) answers.push(answer);
    } else if (answer.endsWith('after ""')) return answers;
    else throw new Error(answer);
  }
}
