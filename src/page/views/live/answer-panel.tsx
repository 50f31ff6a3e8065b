import { useEffect, useState } from 'preact/hooks'
import { AnswerSummary } from './drawing/answer-summary.tsx'
import type { DrawLoop } from './drawing/draw-loop.ts'
import { FramesPanel } from './drawing/frames-panel.tsx'
import { ItemsTable } from './drawing/items-table.tsx'
import { LanesPanel } from './drawing/lanes-panel.tsx'
import { RateChart } from './drawing/rates-panel.tsx'
import { TextPanel } from './drawing/text-panel.tsx'
import type { LiveSession } from './live-session.ts'
import { type LiveSelection, NO_SELECTION, selectFrame } from './selection.ts'

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
  // A refusal has one frame and no item: there is nothing else to draw.
  const isRefused = session.phase === 'over' && record.lanes.length === 0
  const shown = isRefused && selection === NO_SELECTION ? selectFrame(record, 0) : selection
  const place = { record, loop, selection: shown }
  return (
    <div class="live-answer">
      <AnswerSummary session={session} />
      {!isRefused && (
        <>
          <div class="live-rates">
            <RateChart record={record} loop={loop} name="characters" title="Characters per second" />
            <RateChart record={record} loop={loop} name="frames" title="Frames per second" />
          </div>
          <LanesPanel {...place} onSelect={setSelection} />
        </>
      )}
      <div class={isRefused ? 'live-columns live-columns-single' : 'live-columns'}>
        {!isRefused && <TextPanel {...place} />}
        <FramesPanel {...place} onSelect={setSelection} />
      </div>
      {!isRefused && <ItemsTable record={record} />}
    </div>
  )
}
