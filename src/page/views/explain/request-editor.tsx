import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { describePacked } from '../../../text/packed-file.ts'
import type { JsonProblem } from '../../json-problem.ts'
import { JsonTextField } from '../../json-text-field.tsx'

interface EditorProps {
  readonly text: string
  readonly problem: JsonProblem | null
  readonly onInput: (text: string) => void
}

/** Characters of a pasted text that Chromium needs seconds to insert by itself if they are many lines. */
const LONG_PASTE = 100_000

/** A text field for JSON with numbered lines, and the place of an error below it. */
export function RequestEditor({ text, problem, onInput }: EditorProps) {
  const field = useRef<HTMLTextAreaElement>(null)
  const numbers = useRef<HTMLDivElement>(null)
  /** Why a dropped file is not the text; null if there is none. */
  const [refused, setRefused] = useState<string | null>(null)
  useEffect(() => setRefused(null), [text])
  const lines = text.split('\n').length
  const follow = (): void => {
    if (field.current !== null && numbers.current !== null) numbers.current.scrollTop = field.current.scrollTop
  }
  const paste = (event: ClipboardEvent & { readonly currentTarget: HTMLTextAreaElement }): void => {
    const pasted = event.clipboardData?.getData('text/plain') ?? ''
    if (pasted.length < LONG_PASTE) return
    event.preventDefault()
    insert(event.currentTarget, pasted)
    onInput(event.currentTarget.value)
  }
  const drop = (event: DragEvent): void => {
    const file = event.dataTransfer?.files[0]
    if (file === undefined) return
    event.preventDefault()
    file.arrayBuffer().then((buffer) => {
      const packed = describePacked(new Uint8Array(buffer))
      if (packed === null) onInput(new TextDecoder().decode(buffer))
      else setRefused(`${file.name} ${packed}`)
    })
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
          <LinesWithProblem lines={lines} wrong={problem?.line ?? null} />
        </div>
        <JsonTextField
          text={text}
          field={field}
          aria-label="Request body"
          aria-invalid={problem !== null}
          aria-describedby="explain-problem"
          autocomplete="off"
          wrap="off"
          onInput={(event) => onInput(event.currentTarget.value)}
          onPaste={paste}
          onDragOver={(event) => event.preventDefault()}
          onDrop={drop}
          onFollow={follow}
        />
      </div>
      <p id="explain-problem" class="explain-problem" role="status">
        {refused !== null && <span class="error">{refused}</span>}
        {problem !== null && refused === null && (
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

/** Puts a text in the place of the selection. */
function insert(field: HTMLTextAreaElement, inserted: string): void {
  const { value, selectionStart, selectionEnd } = field
  field.value = value.slice(0, selectionStart) + inserted + value.slice(selectionEnd)
  field.setSelectionRange(selectionStart, selectionStart)
}

function LinesWithProblem({ lines, wrong }: { readonly lines: number; readonly wrong: number | null }) {
  if (wrong === null) return <LineNumbers from={1} to={lines} />
  return (
    <>
      <LineNumbers from={1} to={wrong - 1} />
      <span class="wrong">{wrong}</span>
      <LineNumbers from={wrong + 1} to={lines} />
    </>
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
