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

/** The parts of a draft that a reload needs. */
export type KeptDraft = Pick<Draft, 'protocol' | 'model' | 'text'>

interface RequestPanelProps {
  readonly description: ServerDescription
  readonly start: { readonly protocol: LiveProtocol; readonly form: RequestForm; readonly text: string | null }
  /** Whether a request can be sent. */
  readonly isReady: boolean
  readonly isRunning: boolean
  readonly onSend: (request: LiveRequest) => void
  readonly onStop: () => void
  /** Called after a change of protocol or model. */
  readonly onChoice: (protocol: LiveProtocol, model: string) => void
  /** Called after each change. */
  readonly onDraft: (draft: KeptDraft) => void
}

const textOf = (body: JsonBody): string => JSON.stringify(body, null, 2)

const draftOf = (protocol: LiveProtocol, form: RequestForm): Draft => {
  const body = bodyOfForm(protocol, form)
  return { protocol, model: form.model, body, text: textOf(body), fault: null }
}

function firstDraft({ protocol, form, text }: RequestPanelProps['start']): Draft {
  const draft = draftOf(protocol, form)
  return text === null ? draft : draftOfText(draft, text)
}

/** The request as a form and as JSON, which follow each other. */
export function RequestPanel(props: RequestPanelProps) {
  const { description, start, isRunning, onSend, onStop, onChoice, onDraft } = props
  const [draft, setDraft] = useState<Draft>(() => firstDraft(start))
  useEffect(() => onDraft(draft), [draft])
  const panel = useSubmitKeys()
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

  return (
    <form ref={panel} class="live-request" aria-label="Request" onSubmit={send}>
      <ProtocolField names={protocolsOf(description)} value={protocol} onChange={changeProtocol} />
      <fieldset class="live-fields" disabled={fault !== null}>
        <legend class="hidden">Fields of the request</legend>
        <div class="live-field">
          <label for="live-model">Model</label>
          <ModelField value={form.model} models={description.models} onChange={(model) => change({ model })} />
        </div>
        <TargetNote description={description} protocol={protocol} model={form.model} />
        <TextField
          id="live-prompt"
          label="Prompt"
          rows={3}
          value={form.prompt}
          onInput={(prompt) => change({ prompt })}
        />
        <TextField
          id="live-system"
          label="System"
          rows={1}
          value={form.system}
          onInput={(system) => change({ system })}
        />
        <SettingsRow form={form} onChange={change} />
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

/** The form that Control+Enter submits, wherever the focus is: it may also be in the answer, or nowhere. */
function useSubmitKeys() {
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.current?.requestSubmit()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [])
  return form
}

interface ProtocolFieldProps {
  readonly names: readonly LiveProtocol[]
  readonly value: LiveProtocol
  onChange(name: LiveProtocol): void
}

const ProtocolField = ({ names, value, onChange }: ProtocolFieldProps) => (
  <div class="live-field">
    <label for="live-protocol">Client protocol</label>
    <select
      id="live-protocol"
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value as LiveProtocol)}
    >
      {names.map((name) => (
        <option key={name} value={name}>
          {PROTOCOL_LABELS[name]}
        </option>
      ))}
    </select>
  </div>
)

interface TextFieldProps {
  readonly id: string
  readonly label: string
  readonly rows: number
  readonly value: string
  onInput(text: string): void
}

const TextField = ({ id, label, rows, value, onInput }: TextFieldProps) => (
  <div class="live-field live-field-wide">
    <label for={id}>{label}</label>
    <textarea id={id} rows={rows} value={value} onInput={({ currentTarget }) => onInput(currentTarget.value)} />
  </div>
)

interface SettingsRowProps {
  readonly form: RequestForm
  onChange(fields: Partial<RequestForm>): void
}

const SettingsRow = ({ form, onChange }: SettingsRowProps) => (
  <div class="live-row">
    <label class="live-check" title="Offers the model the function get_weather.">
      <input
        type="checkbox"
        checked={form.tools}
        onChange={({ currentTarget }) => onChange({ tools: currentTarget.checked })}
      />
      Tools
    </label>
    <label class="live-inline" for="live-effort">
      Reasoning effort
    </label>
    <select
      id="live-effort"
      value={form.effort}
      onChange={({ currentTarget }) => onChange({ effort: currentTarget.value })}
    >
      {effortsWith(form.effort).map((effort) => (
        <option key={effort} value={effort}>
          {effort === '' ? 'default' : effort}
        </option>
      ))}
    </select>
  </div>
)

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
