import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { TARGET_NAMES } from '../../../alignment/named-target.ts'
import { describePacked } from '../../../text/packed-file.ts'
import { detectWire } from '../../../wires/detect-wire.ts'
import { parseAddress, replaceParameters } from '../../address.ts'
import type { PageServer } from '../../server.ts'
import { WordList } from '../../word-list.tsx'
import { type CompareSettings, readCompareSettings, writeCompareSettings } from './compare-settings.ts'
import { CompareGrid } from './grid.tsx'
import { Inspector } from './inspector.tsx'
import { Introduction } from './introduction.tsx'
import { Outcomes } from './outcomes.tsx'
import {
  alignedSourceOf,
  type ChosenRecording,
  LONGEST_LINK,
  readRecordingLink,
  writeRecordingLink,
} from './recording.ts'
import { UnknownRecording } from './recording-notice.tsx'
import { isSame, type Selection } from './selection.ts'
import { SourceForm } from './source-form.tsx'
import { useComparison } from './use-comparison.ts'
import './view.css'

/** The settings of an earlier recording do not apply to a new one. */
const NO_RECORDING = { data: '', wire: '', vendor: '' }

const TOP: Selection = { row: 0, range: null }

/** Frames, deltas and the output of each target of one recording, side by side. */
export function CompareView({ server }: { readonly server: PageServer }) {
  const [settings, change] = useAddressedSettings()
  const { recording, problem, linkProblem, choose, chooseFile } = useRecording(server, settings, change)
  const [left, setLeft] = useState(0)
  const fixtures = useFixtures(server)
  const detected = useMemo(() => (recording === null ? null : detectWire(recording.bytes)), [recording])
  // No wire reads a compressed file, whichever is chosen.
  const isPacked = useMemo(() => recording !== null && describePacked(recording.bytes) !== null, [recording])
  const wire = isPacked ? '' : settings.wire === '' ? (detected ?? '') : settings.wire
  const source = useMemo(() => alignedSourceOf(recording, wire, settings.vendor), [recording, wire, settings.vendor])
  const { comparison, progress } = useComparison(source, settings.targets)
  const selection = useSelection(source)

  return (
    <FileTarget columns={comparison?.targets.length ?? 0} onFile={chooseFile}>
      <h1 id="compare-title" class="hidden">
        Compare
      </h1>
      <SourceForm
        fixtures={fixtures}
        settings={settings}
        detected={detected}
        hasRecording={recording !== null}
        linkProblem={linkProblem}
        onFile={chooseFile}
        onText={(text) => choose({ name: 'pasted', bytes: new TextEncoder().encode(text) })}
        onChange={change}
      />
      <TargetChoice chosen={settings.targets} onChange={(targets) => change({ targets })} />
      <WordList words={WORDS} />
      <p class="compare-status" role="status">
        {recording !== null && statusOf(recording, wire, comparison?.frames.length ?? null)}
        {detected !== null && wire !== detected && (
          <>
            <span class="error">The bytes look like {detected}.</span>
            <button type="button" onClick={() => change({ wire: '', vendor: '' })}>
              Use {detected}
            </button>
          </>
        )}
        {progress !== null && <progress value={progress} aria-label="Alignment" />}
      </p>
      {problem !== null && (
        <p class="error" role="alert">
          {problem}
        </p>
      )}
      {comparison === null ? (
        <WithoutRows
          recording={recording}
          wire={wire}
          fixtures={fixtures}
          onFixture={(fixture) => change({ fixture, ...NO_RECORDING })}
        />
      ) : (
        <>
          <CompareGrid {...selection} comparison={comparison} left={left} onLeft={setLeft} />
          <Inspector {...selection} comparison={comparison} left={left} onLeft={setLeft} />
          <Outcomes {...comparison} />
        </>
      )}
    </FileTarget>
  )
}

const WORDS = {
  Wire: 'the protocol of the stream',
  Target: 'the protocol it becomes; openai and beta are dialects of the Responses API',
  Frame: 'one event or line',
  Delta: 'one change of the response, such as more text, a call, the end',
}

type ChangeSettings = (changes: Partial<CompareSettings>) => void

/** The settings, which the address contains. */
function useAddressedSettings(): [CompareSettings, ChangeSettings] {
  const [settings, setSettings] = useState(() => readCompareSettings(parseAddress(location.hash).parameters))
  useLayoutEffect(() => replaceParameters('compare', writeCompareSettings(settings)), [settings])
  useEffect(() => {
    const read = (): void => {
      const { view, parameters } = parseAddress(location.hash)
      if (view === 'compare') setSettings(readCompareSettings(parameters))
    }
    addEventListener('hashchange', read)
    return () => removeEventListener('hashchange', read)
  }, [])
  return [settings, (changes) => setSettings((last) => ({ ...last, ...changes }))]
}

/** The recording: of the address, a file, or text. The address gets a link to it, unless it is too long for one. */
function useRecording(server: PageServer, settings: CompareSettings, change: ChangeSettings) {
  const [recording, setRecording] = useState<ChosenRecording | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [linkProblem, setLinkProblem] = useState<string | null>(null)
  /** The link to the present recording, which the address contains. */
  const ownLink = useRef('')
  useRecordingOfAddress(server, settings, ownLink, setRecording, setProblem)
  useEffect(() => {
    setLinkProblem(null)
    if (recording === null || settings.fixture !== '' || settings.data !== '') return
    writeRecordingLink(recording.bytes).then((data) => {
      if (data.length > LONGEST_LINK) return setLinkProblem(tooLong(data.length))
      ownLink.current = data
      change({ data })
    })
  }, [recording])

  const choose = (chosen: ChosenRecording): void => {
    setProblem(null)
    setRecording(chosen)
    change({ fixture: '', ...NO_RECORDING })
  }
  const chooseFile = (file: File | undefined): void => {
    if (file === undefined) return
    file.arrayBuffer().then(
      (buffer) => choose({ name: file.name, bytes: new Uint8Array(buffer) }),
      (error: unknown) => setProblem(`${file.name} cannot be read: ${messageOf(error)}`),
    )
  }
  return { recording, problem, linkProblem, choose, chooseFile }
}

interface FileTargetProps {
  readonly columns: number
  readonly children: ComponentChildren
  onFile(file: File | undefined): void
}

/** The whole view takes a file that is dropped on it. */
function FileTarget({ columns, children, onFile }: FileTargetProps) {
  const [isDragged, setDragged] = useState(false)
  return (
    <section
      class={`view compare${isDragged ? ' dragged' : ''}`}
      aria-labelledby="compare-title"
      style={{ '--targets': String(columns) }}
      onDragOver={(event) => {
        event.preventDefault()
        setDragged(true)
      }}
      onDragLeave={() => setDragged(false)}
      onDrop={(event) => {
        event.preventDefault()
        setDragged(false)
        onFile(event.dataTransfer?.files[0])
      }}
    >
      {children}
    </section>
  )
}

/** The selected row or range of the rows of a source: the pinned one, else the one under the pointer, else the active. */
function useSelection(source: unknown) {
  const [active, setActive] = useState(TOP)
  const [hovered, setHovered] = useState<Selection | null>(null)
  const [pinned, setPinned] = useState<Selection | null>(null)
  useEffect(() => {
    setActive(TOP)
    setHovered(null)
    setPinned(null)
  }, [source])
  return {
    active,
    shown: pinned ?? hovered ?? active,
    pinned: pinned !== null,
    onActive(selection: Selection): void {
      setActive(selection)
      setHovered(null)
      if (pinned !== null) setPinned(selection)
    },
    onHover(selection: Selection | null): void {
      setHovered((last) => (last !== null && selection !== null && isSame(last, selection) ? last : selection))
    },
    onPin: setPinned,
    onSelect(selection: Selection): void {
      setActive(selection)
      setPinned(selection)
    },
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const tooLong = (length: number): string =>
  `No link: the recording has ${kib(length)} when compressed, and a link carries at most ${kib(LONGEST_LINK)}. Send its file instead.`

const kib = (size: number): string =>
  size < 1024 ? `${size} B` : `${(size / 1024).toFixed(size < 10_240 ? 1 : 0)} KiB`

/** The names of the server's recordings; null until the server has answered. */
function useFixtures(server: PageServer): readonly string[] | null {
  const [fixtures, setFixtures] = useState<readonly string[] | null>(null)
  useEffect(() => {
    // Without a server there are no recordings to choose; files and links work all the same.
    server.fixtures().then(setFixtures, () => setFixtures([]))
  }, [server])
  return fixtures
}

interface WithoutRowsProps {
  readonly recording: ChosenRecording | null
  readonly wire: string
  readonly fixtures: readonly string[] | null
  onFixture(name: string): void
}

/** Stands in place of the rows while there are none. */
function WithoutRows({ recording, wire, fixtures, onFixture }: WithoutRowsProps) {
  if (recording === null) return <Introduction fixtures={fixtures ?? []} onFixture={onFixture} />
  return wire === '' ? <UnknownRecording {...recording} /> : null
}

/** Loads the recording that the address names or contains. */
function useRecordingOfAddress(
  server: PageServer,
  { fixture, data }: CompareSettings,
  ownLink: { current: string },
  setRecording: (recording: ChosenRecording) => void,
  setProblem: (problem: string | null) => void,
): void {
  useEffect(() => {
    if (fixture === '' && (data === '' || data === ownLink.current)) return
    let isCurrent = true
    const loading = fixture === '' ? readRecordingLink(data) : server.fixture(fixture)
    loading.then(
      (bytes) => {
        if (!isCurrent) return
        setProblem(null)
        ownLink.current = data
        setRecording({ name: fixture === '' ? 'recording of the link' : fixture, bytes })
      },
      (error: unknown) => isCurrent && setProblem(messageOf(error)),
    )
    return () => {
      isCurrent = false
    }
  }, [fixture, data])
}

function statusOf({ name, bytes }: ChosenRecording, wire: string, rows: number | null): string {
  const size = `${name}: ${kib(bytes.length)}`
  if (wire === '') return size
  return `${size}, ${wire}${rows === null ? '' : `, ${rows.toLocaleString('en')} ${rows === 1 ? 'row' : 'rows'}`}`
}

interface TargetChoiceProps {
  readonly chosen: readonly string[]
  onChange(targets: readonly string[]): void
}

/** The dialects and client protocols that have a column. */
function TargetChoice({ chosen, onChange }: TargetChoiceProps) {
  return (
    <fieldset class="compare-targets">
      <legend>Targets</legend>
      {TARGET_NAMES.map((name) => (
        <label key={name}>
          <input
            type="checkbox"
            checked={chosen.includes(name)}
            onChange={({ currentTarget: { checked } }) =>
              onChange(TARGET_NAMES.filter((other) => (other === name ? checked : chosen.includes(other))))
            }
          />
          {name}
        </label>
      ))}
    </fieldset>
  )
}
