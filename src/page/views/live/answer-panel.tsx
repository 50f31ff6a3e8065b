import { useEffect, useState } from 'preact/hooks'
import type { AnswerRecord } from './answer/answer-record.ts'
import { AnswerSummary } from './drawing/answer-summary.tsx'
import { titleOfLane } from './drawing/answer-text.ts'
import type { DrawLoop } from './drawing/draw-loop.ts'
import { FramesPanel } from './drawing/frames-panel.tsx'
import { LanesPanel } from './drawing/lanes-panel.tsx'
import { makeFocusable } from './drawing/make-focusable.ts'
import { shownFrame } from './drawing/shown-frame.ts'
import { TextPanel } from './drawing/text-panel.tsx'
import { showDuration } from './drawing/time-axis.ts'
import type { LiveSession } from './live-session.ts'
import { type LiveSelection, NO_SELECTION } from './selection.ts'

/** Figures and labels are drawn at most this often, in milliseconds. */
const PAUSE_MS = 200

/** Draws the component again while the answer changes. */
function useChanges(loop: DrawLoop, session: LiveSession): void {
  const [, setChanges] = useState(0)
  useEffect(() => loop.add(() => setChanges((count) => count + 1), PAUSE_MS), [loop, session])
}

/** An answer as it arrives: figures, rates, lanes, text and frames. */
export function AnswerPanel({ session, loop }: { readonly session: LiveSession; readonly loop: DrawLoop }) {
  const { record } = session
  const [selection, setSelection] = useState<LiveSelection>(NO_SELECTION)
  useChanges(loop, session)
  useEffect(() => setSelection(NO_SELECTION), [session])
  const place = { record, loop, selection }
  if (session.phase === 'over' && record.lanes.length === 0)
    return (
      <div class="live-answer">
        <AnswerSummary session={session} />
        <RefusedBody record={record} />
      </div>
    )
  return (
    <div class="live-answer">
      <AnswerSummary session={session} />
      <LanesPanel {...place} onSelect={setSelection} />
      <div class="live-columns">
        <TextPanel {...place} />
        <FramesPanel {...place} onSelect={setSelection} />
      </div>
      <ItemsTable record={record} />
    </div>
  )
}

/** All that an answer without an item has: its frames, such as the body of a refusal. */
function RefusedBody({ record }: { readonly record: AnswerRecord }) {
  const text = record.frames.map(({ event, data }) => shownFrame(event, data)).join('\n\n')
  if (text === '') return null
  return (
    <section class="live-refused" aria-labelledby="live-refused-title">
      <h2 id="live-refused-title">Answer</h2>
      <section ref={makeFocusable} class="live-frame-data" aria-label="Text of the answer">
        <pre>{text}</pre>
      </section>
    </section>
  )
}

/** The lanes as a table: the same content for readers that see no canvas. */
function ItemsTable({ record }: { readonly record: AnswerRecord }) {
  return (
    <details class="live-table">
      <summary>Items as a table</summary>
      <table>
        <thead>
          <tr>
            {['Item', 'Status', 'Began', 'Duration', 'Deltas', 'Characters', 'Citations'].map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {record.lanes.map((lane) => (
            <tr key={lane.position}>
              <th scope="row">{titleOfLane(lane)}</th>
              <td>{lane.status.replace('_', ' ')}</td>
              <td>{showDuration(lane.began)}</td>
              <td>{lane.ended === null ? 'open' : showDuration(lane.ended - lane.began)}</td>
              <td>{lane.ticks.length - lane.citationCount}</td>
              <td>{lane.size}</td>
              <td>{lane.citationCount}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  )
}
