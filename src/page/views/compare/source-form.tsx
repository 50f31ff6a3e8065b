import { useEffect, useRef, useState } from 'preact/hooks'
import { findVendor, VENDOR_NAMES } from '../../../vendors/registry.ts'
import { STREAM_WIRES } from '../../../wires/stream-registry.ts'
import type { CompareSettings } from './compare-settings.ts'

interface SourceFormProps {
  /** null: the server has not answered yet. */
  readonly fixtures: readonly string[] | null
  readonly settings: CompareSettings
  readonly detected: string | null
  readonly hasRecording: boolean
  /** Why there is no link to the recording; null if there is one. */
  readonly linkProblem: string | null
  onFile(file: File | undefined): void
  onText(text: string): void
  onChange(changes: Partial<CompareSettings>): void
}

/** The choice of a recording, of its wire and vendor, and the link to it. */
export function SourceForm(props: SourceFormProps) {
  const { fixtures, settings, detected, hasRecording, linkProblem, onFile, onText, onChange } = props
  const [isPasting, setPasting] = useState(false)
  const [copied, setCopied] = useState(false)
  const file = useRef<HTMLInputElement>(null)
  useEffect(() => setCopied(false), [settings])
  const wire = settings.wire === '' ? detected : settings.wire
  const vendors = VENDOR_NAMES.filter((name) => wire !== null && hasWire(name, wire))
  const copyLink = (): void => {
    navigator.clipboard.writeText(location.href).then(
      () => setCopied(true),
      () => setCopied(false),
    )
  }
  return (
    <div class="compare-source">
      <button type="button" onClick={() => file.current?.click()}>
        Choose a file…
      </button>
      <input
        ref={file}
        class="hidden"
        type="file"
        aria-label="File of a recording"
        tabIndex={-1}
        onChange={({ currentTarget }) => onFile(currentTarget.files?.[0])}
      />
      <button type="button" aria-expanded={isPasting} onClick={() => setPasting(!isPasting)}>
        Paste…
      </button>
      <label>
        Recording
        <select
          value={settings.fixture}
          disabled={fixtures === null}
          onChange={({ currentTarget: { value } }) => onChange({ fixture: value, ...CLEAR })}
        >
          <option value="">{fixtures?.length === 0 ? 'none' : 'choose…'}</option>
          {Object.keys(STREAM_WIRES).map((group) => (
            <optgroup key={group} label={group}>
              {(fixtures ?? [])
                .filter((name) => name.startsWith(`${group}/`))
                .map((name) => (
                  <option key={name} value={name}>
                    {name.slice(group.length + 1)}
                  </option>
                ))}
            </optgroup>
          ))}
        </select>
      </label>
      <NameSelect
        label="Wire"
        none={detected === null ? 'detect' : `detected: ${detected}`}
        names={Object.keys(STREAM_WIRES)}
        value={settings.wire}
        onChange={(name) => onChange({ wire: name, vendor: '' })}
      />
      <NameSelect
        label="Vendor"
        none="no quirks"
        names={vendors}
        value={settings.vendor}
        onChange={(vendor) => onChange({ vendor })}
      />
      <button type="button" disabled={!hasRecording || linkProblem !== null} onClick={copyLink}>
        {copied ? 'Link copied' : 'Copy link'}
      </button>
      {linkProblem !== null && <span class="soft">{linkProblem}</span>}
      {isPasting && (
        <PasteForm
          onText={(text) => {
            setPasting(false)
            onText(text)
          }}
        />
      )}
    </div>
  )
}

interface NameSelectProps {
  readonly label: string
  /** The text of the choice of no name. */
  readonly none: string
  readonly names: readonly string[]
  readonly value: string
  onChange(name: string): void
}

const NameSelect = ({ label, none, names, value, onChange }: NameSelectProps) => (
  <label>
    {label}
    <select value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
      <option value="">{none}</option>
      {names.map((name) => (
        <option key={name}>{name}</option>
      ))}
    </select>
  </label>
)

const CLEAR = { data: '', wire: '', vendor: '' }

function hasWire(vendor: string, wire: string): boolean {
  const row = findVendor(vendor)
  return row?.wire === wire || Object.hasOwn(row?.wires ?? {}, wire)
}

function PasteForm({ onText }: { onText(text: string): void }) {
  const [text, setText] = useState('')
  return (
    <form
      class="compare-paste"
      onSubmit={(event) => {
        event.preventDefault()
        if (text !== '') onText(text)
      }}
    >
      <textarea
        aria-label="Text of a recording"
        rows={6}
        value={text}
        spellcheck={false}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      <button type="submit" class="primary" disabled={text === ''}>
        Align
      </button>
    </form>
  )
}
