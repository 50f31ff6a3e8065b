import type { AnswerRecord } from '../answer/answer-record.ts'
import { makeFocusable } from './make-focusable.ts'
import { shownFrame } from './shown-frame.ts'

/** All that an answer without an item has: its frames, such as the body of a refusal. */
export function RefusedBody({ record }: { readonly record: AnswerRecord }) {
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
