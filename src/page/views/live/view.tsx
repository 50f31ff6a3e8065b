import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { ServerDescription } from '../../../page-api/description.ts'
import { isObject } from '../../../text/json.ts'
import { keepForm, keptForm, parseAddress, replaceParameters } from '../../address.ts'
import type { PageServer } from '../../server.ts'
import { LIVE_PROTOCOLS, type LiveProtocol } from './answer/protocols.ts'
import { protocolsOf } from './client-paths.ts'
import { DrawLoop } from './drawing/draw-loop.ts'
import { EmptyAnswer } from './empty-answer.tsx'
import type { LiveRequest, LiveSession } from './live-session.ts'
import { EMPTY_FORM } from './request/request-form.ts'
import { type KeptDraft, RequestPanel } from './request/request-panel.tsx'
import { RECORDING_PREFIX } from './request/target-note.tsx'
import './view.css'
import { Welcome } from './welcome.tsx'

/** The engine and the drawing are loaded after the form is shown: they are larger than all the rest. */
async function loadAnswers() {
  const [{ AnswerPanel }, { LiveSession }] = await Promise.all([
    import('./answer-panel.tsx'),
    import('./live-session.ts'),
  ])
  return { AnswerPanel, LiveSession }
}

type Answers = Awaited<ReturnType<typeof loadAnswers>>

/** Sends one request to the server and draws its answer as it arrives. */
export function LiveView({ server }: { readonly server: PageServer }) {
  const [description, setDescription] = useState<ServerDescription | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [answers, setAnswers] = useState<Answers | null>(null)
  const [session, setSession] = useState<LiveSession | null>(null)
  const [isRunning, setRunning] = useState(false)
  const [hasKey, setHasKey] = useState(server.keys.current() !== null)
  useEffect(() => server.keys.onChange(() => setHasKey(server.keys.current() !== null)), [server])
  const loop = useMemo(() => new DrawLoop(), [])
  const current = useRef<LiveSession | null>(null)
  const keepDraft = useKeptDraft()

  useEffect(() => {
    // In a narrow window, the answer is below the form.
    if (session !== null && matchMedia('(max-width: 1000px)').matches)
      document.querySelector('.live-answer')?.scrollIntoView()
  }, [session])

  useEffect(() => {
    server.describe().then(setDescription, (error: unknown) => setProblem(String(error)))
    loadAnswers().then(setAnswers, (error: unknown) => setProblem(String(error)))
    return () => current.current?.stop()
  }, [server])

  const send = async (request: LiveRequest): Promise<void> => {
    if (answers === null) return
    const next = new answers.LiveSession(request, loop.request)
    current.current = next
    setSession(next)
    setRunning(true)
    await next.run(server.fetch)
    setRunning(false)
  }

  if (problem !== null) return <p class="notice error">The view could not be opened: {problem}</p>
  if (description === null && !hasKey) return <Welcome views={server.views} />
  if (description === null)
    return <p class="notice">The form appears as soon as the server has described its models.</p>
  return (
    <div class="live">
      <h1 class="hidden">Live</h1>
      <RequestPanel
        description={description}
        start={startOf(description)}
        isReady={answers !== null}
        isRunning={isRunning}
        onChoice={(protocol, model) => replaceParameters('live', new URLSearchParams({ protocol, model }))}
        onDraft={keepDraft}
        onStop={() => current.current?.stop()}
        onSend={send}
      />
      {session === null || answers === null ? (
        <EmptyAnswer views={server.views} />
      ) : (
        <answers.AnswerPanel session={session} loop={loop} />
      )}
    </div>
  )
}

/** Browsers refuse to keep a form a hundred times within some seconds, or one that is very large. */
const KEEP_MS = 300
const LONGEST_KEPT = 1_000_000

function useKeptDraft(): (draft: KeptDraft) => void {
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  return ({ protocol, model, text }) => {
    clearTimeout(timer.current)
    if (text.length <= LONGEST_KEPT) timer.current = setTimeout(() => keepForm({ protocol, model, text }), KEEP_MS)
  }
}

/** The request of this entry of the history, protocol and model of the address, else the first of the server. */
function startOf(description: ServerDescription) {
  const kept = keptForm()
  if (isObject(kept) && typeof kept.model === 'string' && typeof kept.text === 'string') {
    const protocol = LIVE_PROTOCOLS.find((name) => name === kept.protocol)
    if (protocol !== undefined) return { protocol, form: { ...EMPTY_FORM, model: kept.model }, text: kept.text }
  }
  const { parameters } = parseAddress(location.hash)
  const named = LIVE_PROTOCOLS.find((name) => name === parameters.get('protocol'))
  const protocol: LiveProtocol = named ?? protocolsOf(description)[0] ?? 'responses-openai'
  const model = parameters.get('model') ?? firstModel(description.models)
  const prompt = isFirstRecording(model) ? RECORDED_PROMPT : EMPTY_FORM.prompt
  return { protocol, form: { ...EMPTY_FORM, model, prompt }, text: null }
}

/** A recording with a search and citations, and the prompt that it answers. */
const isFirstRecording = (name: string): boolean => /(?:^|\/)anthropic-messages\/search$/.test(name)
const RECORDED_PROMPT = 'Which lighthouse is the oldest one still in use?'

/** The lists of vendors also contain models for other tasks than an answer to a prompt. */
const OTHER_TASKS = /embed|whisper|tts|audio|speech|transcri|image|dall-e|video|veo|sora|moderat|rerank|ocr|guard/i

/** The first model of a vendor that answers prompts; a server without vendors has recordings only. */
function firstModel(models: readonly string[]): string {
  const names = models.filter((name) => !name.endsWith('*'))
  const own = names.filter((name) => !name.startsWith(RECORDING_PREFIX))
  return own.find((name) => !OTHER_TASKS.test(name)) ?? own[0] ?? names.find(isFirstRecording) ?? names[0] ?? ''
}
