import { connect, type RawResponse } from '../../support/raw-connection.ts';

/**
 * Says it on a connection of its own, and that there is no more; all final answers until the other side ends
 * it, too. Throws when something comes that is no answer.
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
