import { connect } from 'node:net';
import { afterId, beforeId, FIRST_ID, violation } from './violation.mjs';

const HEAD_END = '\r\n\r\n';

/** The start of a successful response: `HTTP/1.1 20`. */
const STATUS_AT = 9;
const [TWO, ZERO] = Buffer.from('20');

/**
 * A keep-alive connection for one request at a time.
 *
 * It uses little CPU, because servers share the cores: the request is one buffer in
 * which only the id changes, responses are read into another, and a response as long
 * as the last one is not parsed again.
 *
 * @typedef {object} PacedConnection
 * @property {(id: number) => void} send
 *
 * @param {string} url
 * @param {object} listeners
 * @param {(isSuccess: boolean) => void} listeners.onAnswer
 * @param {() => void} listeners.onClose
 * @returns {Promise<PacedConnection>} once it is open
 */
export function openPacedConnection(url, { onAnswer, onClose }) {
  const { hostname, port, pathname } = new URL(url);
  const head = Buffer.from(
    `POST ${pathname} HTTP/1.1\r\nhost: ${hostname}\r\ncontent-type: application/json\r\n` +
      `content-length: ${String(Buffer.byteLength(violation(FIRST_ID)))}${HEAD_END}${beforeId}`,
  );
  const request = Buffer.concat([head, Buffer.from(`${String(FIRST_ID)}${afterId}`)]);
  let received = '';
  /** Length of the last response that arrived in one piece. */
  let usualLength = 0;

  /** @param {number} length @param {Buffer} bytes */
  function read(length, bytes) {
    if (received === '' && length === usualLength) {
      onAnswer(bytes[STATUS_AT] === TWO && bytes[STATUS_AT + 1] === ZERO);
      return true;
    }
    received += bytes.latin1Slice(0, length);
    if (!isWhole(received)) return true;
    usualLength = received.length === length ? length : 0;
    const isSuccess = received.startsWith('HTTP/1.1 20');
    received = '';
    onAnswer(isSuccess);
    return true;
  }

  return new Promise((resolve, reject) => {
    const buffer = Buffer.allocUnsafe(16 * 1024);
    const onread = { buffer, callback: /** @type {any} */ (read) };
    const socket = connect({ host: hostname, port: Number(port), noDelay: true, onread });
    socket.once('error', reject).once('close', onClose);
    socket.once('connect', () => {
      resolve({
        send(id) {
          request.latin1Write(String(id), head.length);
          socket.write(request);
        },
      });
    });
  });
}

/**
 * Whether a response, chunked or with a length, is complete.
 *
 * @param {string} text one character for each byte
 */
function isWhole(text) {
  const head = text.indexOf(HEAD_END);
  if (head < 0) return false;
  const length = /content-length: *(\d+)/iu.exec(text.slice(0, head))?.[1];
  return length === undefined ? text.endsWith(`0${HEAD_END}`) : text.length >= head + 4 + Number(length);
}
