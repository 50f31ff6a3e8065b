import { isTouch } from '../../pointer.ts'

interface IntroductionProps {
  /** The names of the recordings of the server. */
  readonly fixtures: readonly string[]
  onFixture(name: string): void
}

/** Recordings that show something in every column: reasoning, parallel calls, citations, a stream that was cut. */
const FIRST_CHOICES = [
  'anthropic-messages/reasoning',
  'openai-chat/parallel-tools',
  'bedrock-converse/citations',
  'openai-responses/web-search',
  'openai-chat/cut-off',
]

/** Stands in place of the rows while there is no recording. */
export function Introduction({ fixtures, onFixture }: IntroductionProps) {
  const offered = FIRST_CHOICES.filter((name) => fixtures.includes(name))
  return (
    <div class="compare-introduction">
      <p class="lead">
        {isTouch() ? 'Choose or paste a recorded provider response' : 'Drop a recorded provider response here'}: a
        stream or a whole body.
      </p>
      <p class="soft">
        Each row is one frame of the upstream, with the deltas that the engine decodes from it and what each target
        writes for it. The recording stays in this browser.
      </p>
      <pre class="soft">curl -sN https://… -d @request.json &gt; recording.sse</pre>
      {offered.length > 0 && (
        <p class="choices">
          Recordings of this server:
          {offered.map((name) => (
            <button key={name} type="button" onClick={() => onFixture(name)}>
              {name}
            </button>
          ))}
        </p>
      )}
    </div>
  )
}
