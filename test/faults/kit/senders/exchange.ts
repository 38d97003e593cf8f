import { connect, type RawResponse } from '../../../support/raw-connection.ts';

/**
 * Sends bytes on a new connection, ends it, and returns every final response until the server closes it.
 *
 * @throws Error when the server sends something that is not a response.
 */
export async function exchange(url: string, text: string): Promise<readonly RawResponse[]> {
  const connection = await connect(Number(new URL(url).port));
  connection.socket.end(Buffer.from(text, 'latin1'));
  const answers: RawResponse[] = [];
  for (;;) {
    const answer = await connection.response().catch((error: unknown) => String(error));
    if (typeof answer !== 'string') {
      if (answer.status >= 200) answers.push(answer);
    } else if (answer.endsWith('after ""')) return answers;
    else throw new Error(answer);
  }
}
