import { useRef } from 'preact/hooks'
import type { JsonProblem } from './json-problem.ts'

interface EditorProps {
  readonly text: string
  readonly problem: JsonProblem | null
  readonly onInput: (text: string) => void
}

/** A text field for JSON with numbered lines, and the place of an error below it. */
export function RequestEditor({ text, problem, onInput }: EditorProps) {
  const field = useRef<HTMLTextAreaElement>(null)
  const numbers = useRef<HTMLDivElement>(null)
  const lines = text.split('\n').length
  const follow = (): void => {
    if (field.current !== null && numbers.current !== null) numbers.current.scrollTop = field.current.scrollTop
  }
  const goTo = ({ offset, line }: JsonProblem): void => {
    const { current } = field
    if (current === null) return
    current.focus()
    current.setSelectionRange(offset, offset + 1)
    current.scrollTop = Math.max(0, (current.scrollHeight / lines) * (line - 4))
    follow()
  }
  return (
    <div class="explain-editor">
      <div class="explain-field">
        <div class="explain-numbers" ref={numbers} aria-hidden="true">
          {Array.from({ length: lines }, (_, at) => (
            <span key={at} class={problem?.line === at + 1 ? 'wrong' : undefined}>
              {at + 1}
            </span>
          ))}
        </div>
        <textarea
          ref={field}
          aria-label="Request body"
          aria-invalid={problem !== null}
          aria-describedby="explain-problem"
          spellcheck={false}
          autocomplete="off"
          wrap="off"
          value={text}
          onInput={(event) => onInput(event.currentTarget.value)}
          onScroll={follow}
        />
      </div>
      <p id="explain-problem" class="explain-problem" role="status">
        {problem !== null && (
          <>
            <button type="button" onClick={() => goTo(problem)}>
              Line {problem.line}, column {problem.column}
            </button>{' '}
            <span class="error">{problem.message}</span>
          </>
        )}
      </p>
    </div>
  )
}
