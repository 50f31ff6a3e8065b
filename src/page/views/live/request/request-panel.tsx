import { useEffect, useRef, useState } from 'preact/hooks'
import type { ServerDescription } from '../../../../page-api/description.ts'
import { findJsonProblem, type JsonProblem } from '../../../json-problem.ts'
import { type LiveProtocol, PROTOCOL_LABELS } from '../answer/protocols.ts'
import { findLiveAddress, protocolsOf } from '../client-paths.ts'
import type { LiveRequest } from '../live-session.ts'
import { FORM_EFFORTS, type JsonBody } from './form-fields.ts'
import { JsonEditor } from './json-editor.tsx'
import { ModelField } from './model-field.tsx'
import { bodyOfForm, isJsonBody, type RequestForm, readForm, writeForm } from './request-form.ts'
import { TargetNote } from './target-note.tsx'

/** The request that is being written. `body` is the last one that could be read; `fault` is that of the text. */
interface Draft {
  readonly protocol: LiveProtocol
  readonly model: string
  readonly body: JsonBody
  readonly text: string
  readonly fault: JsonProblem | null
}

interface RequestPanelProps {
  readonly description: ServerDescription
  readonly start: { readonly protocol: LiveProtocol; readonly form: RequestForm }
  /** Whether a request can be sent. */
  readonly isReady: boolean
  readonly isRunning: boolean
  readonly onSend: (request: LiveRequest) => void
  readonly onStop: () => void
  /** Called after a change of protocol or model. */
  readonly onChoice: (protocol: LiveProtocol, model: string) => void
}

const textOf = (body: JsonBody): string => JSON.stringify(body, null, 2)

const draftOf = (protocol: LiveProtocol, form: RequestForm): Draft => {
  const body = bodyOfForm(protocol, form)
  return { protocol, model: form.model, body, text: textOf(body), fault: null }
}

/** The request as a form and as JSON, which follow each other. */
export function RequestPanel(props: RequestPanelProps) {
  const { description, start, isRunning, onSend, onStop, onChoice } = props
  const [draft, setDraft] = useState<Draft>(() => draftOf(start.protocol, start.form))
  const panel = useRef<HTMLFormElement>(null)
  const { protocol, body, model, fault } = draft
  const form = readForm(protocol, body, model)
  const address = findLiveAddress(description, protocol, form.model)
  const canSend = props.isReady && !isRunning && fault === null && address !== null && form.model !== ''

  const change = (fields: Partial<RequestForm>): void => {
    const next = { ...form, ...fields }
    const changed = writeForm(protocol, body, next)
    setDraft({ ...draft, model: next.model, body: changed, text: textOf(changed) })
    if (fields.model !== undefined) onChoice(protocol, fields.model)
  }
  const changeProtocol = (name: LiveProtocol): void => {
    setDraft(draftOf(name, form))
    onChoice(name, form.model)
  }
  const changeText = (text: string): void => setDraft(draftOfText(draft, text))
  const send = (event: Event): void => {
    event.preventDefault()
    if (!canSend || address === null) return
    onSend({ protocol, ...address, body: draft.text, model: form.model })
  }
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) panel.current?.requestSubmit()
    }
    // The focus may also be in the answer, or nowhere.
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [])

  return (
    <form ref={panel} class="live-request" aria-label="Request" onSubmit={send}>
      <div class="live-field">
        <label for="live-protocol">Client protocol</label>
        <select
          id="live-protocol"
          value={protocol}
          onChange={({ currentTarget }) => changeProtocol(currentTarget.value as LiveProtocol)}
        >
          {protocolsOf(description).map((name) => (
            <option key={name} value={name}>
              {PROTOCOL_LABELS[name]}
            </option>
          ))}
        </select>
      </div>
      <fieldset class="live-fields" disabled={fault !== null}>
        <legend class="hidden">Fields of the request</legend>
        <div class="live-field">
          <label for="live-model">Model</label>
          <ModelField value={form.model} models={description.models} onChange={(model) => change({ model })} />
        </div>
        <TargetNote description={description} protocol={protocol} model={form.model} />
        <div class="live-field live-field-wide">
          <label for="live-prompt">Prompt</label>
          <textarea
            id="live-prompt"
            rows={3}
            value={form.prompt}
            onInput={({ currentTarget }) => change({ prompt: currentTarget.value })}
          />
        </div>
        <div class="live-field live-field-wide">
          <label for="live-system">System</label>
          <textarea
            id="live-system"
            rows={1}
            value={form.system}
            onInput={({ currentTarget }) => change({ system: currentTarget.value })}
          />
        </div>
        <div class="live-row">
          <label class="live-check" title="Offers the model the function get_weather.">
            <input
              type="checkbox"
              checked={form.tools}
              onChange={({ currentTarget }) => change({ tools: currentTarget.checked })}
            />
            Tools
          </label>
          <label class="live-inline" for="live-effort">
            Reasoning effort
          </label>
          <select
            id="live-effort"
            value={form.effort}
            onChange={({ currentTarget }) => change({ effort: currentTarget.value })}
          >
            {effortsWith(form.effort).map((effort) => (
              <option key={effort} value={effort}>
                {effort === '' ? 'default' : effort}
              </option>
            ))}
          </select>
        </div>
      </fieldset>
      <JsonEditor text={draft.text} fault={fault} onChange={changeText} />
      <div class="live-actions">
        <button type="submit" class="primary" disabled={!canSend} aria-keyshortcuts="Control+Enter Meta+Enter">
          Send
        </button>
        <button type="button" disabled={!isRunning} onClick={onStop}>
          Stop
        </button>
        <code class="live-path" title={address?.path}>
          {address === null ? 'no mount has this protocol' : `POST ${address.path}`}
        </code>
      </div>
    </form>
  )
}

/** A body from elsewhere may have an effort that the form does not offer. */
const effortsWith = (effort: string): readonly string[] =>
  FORM_EFFORTS.some((one) => one === effort) ? FORM_EFFORTS : [...FORM_EFFORTS, effort]

function draftOfText(draft: Draft, text: string): Draft {
  const fault = findJsonProblem(text)
  if (fault !== null) return { ...draft, text, fault }
  const value: unknown = JSON.parse(text)
  if (!isJsonBody(value))
    return { ...draft, text, fault: { message: 'expected an object', offset: 0, line: 1, column: 1 } }
  const { model } = readForm(draft.protocol, value, draft.model)
  return { ...draft, model, body: value, text, fault: null }
}
