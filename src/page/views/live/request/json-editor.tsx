import { useRef } from 'preact/hooks'
import type { JsonProblem } from '../../../json-problem.ts'
import { JsonTextField } from '../../../json-text-field.tsx'

interface JsonEditorProps {
  readonly text: string
  readonly fault: JsonProblem | null
  readonly onChange: (text: string) => void
}

/** The body as JSON, with the place of its first fault. */
export function JsonEditor({ text, fault, onChange }: JsonEditorProps) {
  const field = useRef<HTMLTextAreaElement>(null)
  const goToFault = (): void => {
    const element = field.current
    if (element === null || fault === null) return
    element.focus()
    element.setSelectionRange(fault.offset, Math.min(fault.offset + 1, text.length))
    const lineHeight = Number.parseFloat(getComputedStyle(element).lineHeight) || 16
    element.scrollTop = (fault.line - 3) * lineHeight
  }
  return (
    <div class="live-json">
      <label for="live-json">Body (JSON)</label>
      <JsonTextField
        text={text}
        field={field}
        id="live-json"
        rows={8}
        aria-invalid={fault !== null}
        aria-describedby="live-json-fault"
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
      <p id="live-json-fault" class="live-fault" aria-live="polite">
        {fault !== null && (
          <>
            <span>
              Line {fault.line}, column {fault.column}: {fault.message}
            </span>
            <button type="button" onClick={goToFault}>
              Go to the fault
            </button>
          </>
        )}
      </p>
    </div>
  )
}
