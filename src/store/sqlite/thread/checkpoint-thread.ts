import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import BetterSqlite3 from 'better-sqlite3';
import { writeAheadLog } from '../checkpoint.ts';
import { syncFully } from '../open-database.ts';
import { sqliteFailure, type CheckpointReply, type CheckpointRequest } from './messages.ts';

/** The thread that moves the write-ahead log into the file when asked to, by a connection of its own. */
function serve(port: MessagePort, file: string): void {
  // Not as a store is opened: that writes, and commits would have to wait.
  const database = new BetterSqlite3(file, { fileMustExist: true });
  syncFully(database);
  const log = writeAheadLog(database);

  function moved(): CheckpointReply {
    try {
      log.move();
      return { failure: null };
    } catch (error) {
      return { failure: sqliteFailure(error) };
    }
  }

  port.on('message', (request: CheckpointRequest) => {
    if (request === 'move') {
      port.postMessage(moved());
      return;
    }
    database.close();
    port.close();
  });
  port.postMessage({ failure: null } satisfies CheckpointReply);
}

if (parentPort !== null) serve(parentPort, workerData as string);
