import { isTouch } from '../../pointer.ts'
import type { PageServer } from '../../server.ts'
import { LANE_LABELS, LANE_SIGNS, type LaneKind } from './answer/lanes.ts'
import { ViewList } from './welcome.tsx'

const EXPLANATIONS: Readonly<Record<LaneKind, string>> = {
  message: 'text for the user, with its citations',
  reasoning: 'reasoning before the answer, or a summary of it',
  call: 'a call of the client’s tool, with its arguments',
  hosted: 'a step that the vendor runs itself, such as a search',
}

const SEND_KEYS = /Mac|iP(?:hone|ad)/.test(navigator.platform) ? '⌘ Enter' : 'Ctrl Enter'

/** Describes what the view will draw. */
export function EmptyAnswer({ views }: Pick<PageServer, 'views'>) {
  return (
    <section class="live-empty" aria-label="Answer">
      <h2>Send a request: its answer is drawn here as it arrives.</h2>
      <p>Each item of the answer has a lane on one time axis, and each delta is a tick of it:</p>
      <dl>
        {(Object.keys(EXPLANATIONS) as readonly LaneKind[]).map((kind) => (
          <div key={kind} class={`live-kind-${kind}`}>
            <dt>
              <span class="live-lane-sign" aria-hidden="true">
                {LANE_SIGNS[kind]}
              </span>{' '}
              {LANE_LABELS[kind]}
            </dt>
            <dd>{EXPLANATIONS[kind]}</dd>
          </div>
        ))}
      </dl>
      <p>
        Below the lanes stand the text and the raw frames. A delta that is selected is marked in all three.
        {!isTouch() && (
          <>
            {' '}
            <kbd>{SEND_KEYS}</kbd> sends the request.
          </>
        )}
      </p>
      <p>millrace translates streams of language models between the protocols of their vendors. This page shows:</p>
      <ViewList views={views} />
    </section>
  )
}
