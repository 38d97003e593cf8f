/** An erasure of the ledger. */
import type { FC } from 'hono/jsx';
import { Notice } from '../../pages/list.tsx';
import { State, type Tone } from '../../pages/state.tsx';
import { Time } from '../../pages/time.tsx';
import type { Receipt } from '../../privacy/receipt.ts';
import type { LedgerView } from '../../view/privacy/erasure-view.ts';
import { errorText } from '../../view/payload/unmasking.ts';
import { usePage } from '../page.ts';
import { placeCounts } from './erasure-plan.tsx';
import { Facts } from './facts.tsx';
import { Quoted } from './foreign-text.tsx';

const tones: Readonly<Record<LedgerView['state'], Tone>> = {
  erasing: 'warn',
  finished: 'ok',
  unfinished: 'bad',
};

/** How an erasure stands. One after which a hold keeps rows of the person is to be done again. */
export const ErasureState: FC<{ readonly entry: LedgerView; readonly held: number }> = ({ entry, held }) => {
  const words = usePage().words.erasures;
  return (
    <>
      <State
        tone={held > 0 ? 'warn' : tones[entry.state]}
        word={held > 0 ? words.finishedBut(held) : words.states[entry.state]}
      />{' '}
      {entry.finished_at !== null && <Time iso={entry.finished_at} />}
    </>
  );
};

/** An erasure: how it stands, why it is not finished, and what its receipt says. */
export const LedgerEntry: FC<{
  readonly entry: LedgerView;
  readonly problem: string | null;
  readonly receipt: Receipt | null;
}> = ({ entry, problem, receipt }) => {
  const { words: all, format } = usePage();
  const { erasures: words, columns } = all;
  return (
    <>
      <p>
        <ErasureState entry={entry} held={receipt?.held_rows ?? 0} />
      </p>
      {entry.running_in !== null && (
        <p>
          {words.runningIn(entry.running_in)}
          {entry.running_since !== null && ` ${words.runningSince} `}
          {entry.running_since !== null && <Time iso={entry.running_since} />}
        </p>
      )}
      {entry.state === 'unfinished' && (
        <Notice tone="warn">
          {problem !== null && <Quoted text={problem} />}
          {problem !== null && '. '}
          {words.unfinishedWhy}
        </Notice>
      )}
      <Facts
        facts={[
          [columns.reason, errorText(entry.reason, { unmask: false })],
          [columns.by, all.frame.visitor(entry.requested_by)],
          [all.privacy.started, <Time iso={entry.started_at} />],
          [all.privacy.identifiers, format.number(entry.identifiers)],
          entry.runs.length > 1 && [
            words.runs,
            entry.runs.map(({ started_at: at, process: where, erased_rows: rows }) => (
              <p>
                <Time iso={at} /> {where}: {placeCounts(words, rows) || format.number(0)}
              </p>
            )),
          ],
          (receipt !== null || entry.runs.length === 1) && [
            words.rows,
            placeCounts(words, receipt?.erased_rows ?? entry.runs[0]?.erased_rows ?? {}) || format.number(0),
          ],
          receipt !== null && [
            words.rowsStay,
            <>
              {format.number(receipt.held_rows)}{' '}
              {receipt.held_rows > 0 && <a href="/privacy#holds">{words.seeHolds}</a>}
            </>,
          ],
          receipt !== null && [
            words.files,
            receipt.files.length === 0
              ? words.noFiles
              : words.filesOf(format.bytes(receipt.bytes_searched), receipt.hits),
          ],
          receipt !== null && [
            words.receipt,
            <>
              <a href={`/privacy/erasures/${entry.id}/receipt.json`} download>
                {words.download}
              </a>
              <p class="soft">{words.receiptWhy}</p>
            </>,
          ],
        ]}
      />
    </>
  );
};
