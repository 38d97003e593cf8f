import { parentPort, workerData } from 'node:worker_threads';
import BetterSqlite3 from 'better-sqlite3';
import { syncFully } from '../../file/open-database.ts';
import { writeAheadLog } from '../checkpoint.ts';
import {
  sqliteFailure,
  Turn,
  type CheckpointReply,
  type CheckpointRequest,
  type CheckpointThreadData,
} from './messages.ts';

/** The thread that moves the write-ahead log into the file when asked to, by a connection of its own. */
function serve({ file, turn, port }: CheckpointThreadData): void {
  // Not as a store is opened: that writes, and commits would have to wait.
  const database = new BetterSqlite3(file, { fileMustExist: true });
  syncFully(database);
  const log = writeAheadLog(database);

  function moved(): CheckpointReply {
    try {
      log.copy();
      return { failure: null };
    } catch (error) {
      return { failure: sqliteFailure(error) };
    }
  }

  function move(): void {
    if (Atomics.compareExchange(turn, 0, Turn.asked, Turn.working) !== Turn.asked) return;
    port.postMessage(moved());
    // Only now: whoever waits for the end of it takes the reply at once.
    Atomics.store(turn, 0, Turn.nothing);
    Atomics.notify(turn, 0);
  }

  port.on('message', (request: CheckpointRequest) => {
    if (request === 'move') {
      move();
      return;
    }
    database.close();
    port.close();
  });
  port.postMessage({ failure: null } satisfies CheckpointReply);
}

if (parentPort !== null) serve(workerData as CheckpointThreadData);
