import { isTouch } from '../../pointer.ts'
import type { PageServer } from '../../server.ts'
import { LANE_LABELS, LANE_SIGNS, type LaneKind } from './answer/lanes.ts'
import { ViewList } from './welcome.tsx'

const EXPLANATIONS: Readonly<Record<LaneKind, string>> = {
  message: 'text for the user, with its citations',
  reasoning: 'reasoning before the answer, or a summary of it',
  call: 'a call of the client’s tool, with its arguments',
  hosted: 'a step that the provider runs, such as a search',
}

const SEND_KEYS = /Mac|iP(?:hone|ad)/.test(navigator.platform) ? '⌘ Enter' : 'Ctrl Enter'

/** Describes what the view will draw. */
export function EmptyAnswer({ views }: Pick<PageServer, 'views'>) {
  return (
    <section class="live-empty" aria-label="Answer">
      <h2>Send a request and watch the response arrive.</h2>
      <p>Each output item has a lane on the time axis, and each delta a tick:</p>
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
        Text and raw frames are below the lanes. Select a delta to mark it in all three.
        {!isTouch() && (
          <>
            {' '}
            <kbd>{SEND_KEYS}</kbd> sends the request.
          </>
        )}
      </p>
      <p>millrace translates LLM streams between protocols. This page shows:</p>
      <ViewList views={views} />
    </section>
  )
}
