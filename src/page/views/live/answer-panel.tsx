import { useEffect, useState } from 'preact/hooks'
import { AnswerSummary } from './drawing/answer-summary.tsx'
import type { DrawLoop } from './drawing/draw-loop.ts'
import { FramesPanel } from './drawing/frames-panel.tsx'
import { ItemsTable } from './drawing/items-table.tsx'
import { LanesPanel } from './drawing/lanes-panel.tsx'
import { RefusedBody } from './drawing/refused-body.tsx'
import { TextPanel } from './drawing/text-panel.tsx'
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
