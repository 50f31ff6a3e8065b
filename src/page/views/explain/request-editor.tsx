import { useMemo, useRef } from 'preact/hooks'
import type { JsonProblem } from '../../../text/json-problem.ts'

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
          <LineNumbers from={1} to={(problem?.line ?? lines + 1) - 1} />
          {problem !== null && (
            <>
              <span class="wrong">{problem.line}</span>
              <LineNumbers from={problem.line + 1} to={lines} />
            </>
          )}
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

/** One text for many lines: an element for each would be slow to draw. */
function LineNumbers({ from, to }: { readonly from: number; readonly to: number }) {
  const text = useMemo(
    () => Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => from + at).join('\n'),
    [from, to],
  )
  return text === '' ? null : <span>{text}</span>
}
