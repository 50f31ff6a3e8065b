import { EMPTY_LIST, listAppend, listLast, listToArray, listWith } from '../../../collections/list.ts'
import { mapDelete, mapGet, mapSet, mapSize, type SortedMap } from '../../../collections/sorted-map.ts'
import { type Machine, NOTHING, type Step } from '../../../machine/machine.ts'
import type {
  CallDelta,
  CitationDelta,
  ContentDelta,
  Delta,
  FinishReason,
  HostedDelta,
} from '../../../protocol/delta.ts'
import type { GatewayError } from '../../../protocol/error.ts'
import type { Logprob } from '../../../protocol/part.ts'
import type { Usage } from '../../../protocol/usage.ts'
import { isText } from '../../../text/json.ts'
import type { Answering } from '../../client-contract.ts'
import type { ChatAnnotation, ChatDelta } from '../json.ts'
import { finishWord } from '../terms.ts'
import { closing, type Run, type Train, toEntry } from './reasoning-stream.ts'
import { BLANK, type Story, type TellState, withStory } from './state.ts'
import type { Settings } from './stream-settings.ts'

/** One output of the encoder, before it is written as a chunk or into a body. */
export type Told =
  | { readonly kind: 'delta'; readonly delta: ChatDelta; readonly logprobs: readonly Logprob[] | null }
  | { readonly kind: 'finish'; readonly word: string }
  | { readonly kind: 'usage'; readonly usage: Usage }
  | { readonly kind: 'error'; readonly error: GatewayError }

type Say = Told[]

const said = (delta: ChatDelta, logprobs: readonly Logprob[] | null = null): Told => ({
  kind: 'delta',
  delta,
  logprobs,
})

/**
 * Encodes deltas as the outputs of a chat answer, streamed or whole. The finish reason is emitted at the end only: the
 * last one counts. An answer that was cut off has none.
 *
 * O(1) for more of the same text, O(log n) for anything else after n items. Citations and the closing entries of
 * reasoning are emitted once, at the end of their item.
 */
export function tell(open: Answering['open'], settings: Settings): Machine<TellState, Delta, Told> {
  return {
    initial: { story: BLANK, length: 0, thought: '' },

    step(state, delta): Step<TellState, Told> {
      if (state.story.failed) return { state, events: NOTHING }
      const say: Say = []
      const next = hear(state, delta, say, open, settings)
      return { state: next, events: say }
    },

    end({ story }) {
      if (story.failed || story.finish === null) return NOTHING
      const say: Say = []
      // A filtered answer without content has `content: null`; a completed answer may be empty.
      begin(story, story.finish === 'content_filter' ? null : '', say)
      say.push({
        kind: 'finish',
        word: finishWord(finishOf(story, story.finish), story.calls !== null, settings.legacy),
      })
      if (story.usage !== null) say.push({ kind: 'usage', usage: story.usage })
      return say
    },
  }
}

function hear(state: TellState, delta: Delta, say: Say, open: Answering['open'], settings: Settings): TellState {
  const { story } = state
  switch (delta.kind) {
    case 'text':
      return hearText(state, delta, say)
    case 'refusal':
      return hearRefusal(state, delta, say)
    case 'reasoning':
    case 'summary':
      return settings.hidden ? state : hearThought(state, delta, say)
    case 'opaque':
      return hearOpaque(state, delta.key, delta.payload)
    case 'call':
      return withStory(state, hearCall(story, delta, say, settings))
    case 'citation':
      return withStory(state, { ...story, cited: withCited(story.cited, delta) })
    case 'hosted':
      return withStory(state, hearHosted(story, delta, say))
    case 'stop':
      return hearStop(delta.cut === true ? withBroken(state, delta.key) : state, delta.key, say, open)
    case 'start':
      return withStory(state, { ...story, model: delta.model })
    case 'usage':
      return withStory(state, { ...story, usage: delta.usage })
    case 'finish':
      return withStory(state, { ...story, finish: delta.reason })
    case 'error':
      say.push({ kind: 'error', error: delta.error })
      return withStory(state, { ...story, failed: true })
    default:
      return state
  }
}

/** Emits the role before anything else. `content` is null if the first output is not text. */
function begin(story: Story, content: string | null, say: Say): Story {
  if (story.begun) return story
  say.push(said({ role: 'assistant', content }))
  return { ...story, begun: true }
}

function hearText(state: TellState, { key, part, text, logprobs }: ContentDelta, say: Say): TellState {
  const begun = begin(state.story, '', say)
  const goesOn = begun.part !== null && begun.part.key === key && begun.part.name === part
  const story = goesOn
    ? begun
    : { ...begun, part: { key, name: part }, bases: withBase(begun.bases, key, part, state.length) }
  say.push(said({ content: text }, logprobs))
  return { story, length: state.length + text.length, thought: state.thought }
}

/** For a part that is continued, the first offset counts. */
function withBase(bases: Story['bases'], key: string, part: string, at: number): Story['bases'] {
  const own = mapGet(bases, key) ?? null
  return mapGet(own, part) === undefined ? mapSet(bases, key, mapSet(own, part, at)) : bases
}

const withCited = (cited: Story['cited'], delta: CitationDelta): Story['cited'] =>
  mapSet(cited, delta.key, listAppend(mapGet(cited, delta.key) ?? EMPTY_LIST, delta))

function hearRefusal(state: TellState, { text }: ContentDelta, say: Say): TellState {
  const story = begin(state.story, null, say)
  say.push(said({ refusal: text }))
  return story === state.story ? state : withStory(state, story)
}

function toAnnotation({ part, citation }: CitationDelta, bases: SortedMap<string, number>): readonly ChatAnnotation[] {
  const { url, title, content, span } = citation
  const base = mapGet(bases, part)
  // Chat Completions has no annotation for a cited file.
  if (citation.file !== undefined || base === undefined || span === null) return []
  const cited = { start_index: base + span.start, end_index: base + span.end, url, title: title ?? '' }
  return [{ type: 'url_citation', url_citation: content === null ? cited : { ...cited, content } }]
}

/**
 * Emits all citations of a message at once when its text has ended, as OpenAI does: in the official client, a chunk
 * with `annotations` replaces the earlier ones.
 */
function tellCitations(story: Story, key: string, say: Say): Story {
  const bases = mapGet(story.bases, key)
  const own = mapGet(story.cited, key)
  if (bases === undefined && own === undefined) return story
  const annotations = listToArray(own ?? EMPTY_LIST).flatMap((delta) => toAnnotation(delta, bases ?? null))
  if (annotations.length > 0) say.push(said({ annotations }))
  return {
    ...story,
    part: story.part?.key === key ? null : story.part,
    bases: mapDelete(story.bases, key),
    cited: mapDelete(story.cited, key),
  }
}

const TYPES = { reasoning: 'reasoning.text', summary: 'reasoning.summary' } as const

function hearThought(state: TellState, delta: ContentDelta, say: Say): TellState {
  const type = TYPES[delta.kind as keyof typeof TYPES]
  const { story, run, thought } = openRun(begin(state.story, null, say), state.thought, delta, type)
  say.push(said({ reasoning_content: delta.text, reasoning_details: [toEntry(run, delta.text)] }))
  return { story, length: state.length, thought: thought + delta.text }
}

interface OpenRun {
  readonly story: Story
  readonly run: Run
  readonly thought: string
}

/** Returns the last run of the item if it has this part and type, otherwise a new run. */
function openRun(story: Story, thought: string, { key, part }: ContentDelta, type: Run['type']): OpenRun {
  const open = story.train?.key === key ? story.train : null
  const last = open === null ? undefined : listLast(open.runs)
  if (last !== undefined && last.part === part && last.type === type) return { story, run: last, thought }
  const train = open === null ? { key, runs: EMPTY_LIST, sealed: null } : settled(open, thought)
  const run: Run = { type, part, index: story.details, text: '' }
  const next = { ...story, train: { ...train, runs: listAppend<Run>(train.runs, run) }, details: story.details + 1 }
  return { story: next, run, thought: '' }
}

/** The item with the text of its last run filled in. */
function settled(train: Train, thought: string): Train {
  const last = listLast(train.runs)
  return last === undefined
    ? train
    : { ...train, runs: listWith(train.runs, train.runs.length - 1, { ...last, text: thought }) }
}

function hearOpaque(state: TellState, key: string, payload: unknown): TellState {
  if (!isText(payload)) return state
  const { story } = state
  const train = story.train?.key === key ? story.train : { key, runs: EMPTY_LIST }
  return withStory(state, { ...story, train: { ...train, sealed: payload } })
}

function hearStop(state: TellState, key: string, say: Say, open: Answering['open']): TellState {
  const { story, thought } = state
  if (story.train?.key !== key) return withStory(state, tellCitations(story, key, say))
  const train = settled(story.train, thought)
  const native = train.sealed === null ? undefined : open(train.sealed)
  const reasoning_details = closing(train, story.details, native)
  const begun = begin(story, null, say)
  say.push(said({ reasoning_details }))
  const details = story.details + (train.sealed === null ? 0 : 1)
  return { story: { ...begun, train: null, details }, length: state.length, thought: '' }
}

const withBroken = (state: TellState, key: string): TellState =>
  mapGet(state.story.calls, key) !== undefined ? withStory(state, { ...state.story, broken: true }) : state

/**
 * Clients execute the calls of an answer that ended normally. An answer with an incomplete call therefore ends with
 * `length`.
 */
const finishOf = ({ broken }: Story, finish: FinishReason): FinishReason =>
  broken && finish === 'stop' ? 'max_output_tokens' : finish

/**
 * The first chunk of a call has its name, later chunks only arguments. A client with the older `functions` receives the
 * first call only.
 */
function hearCall(story: Story, delta: CallDelta, say: Say, { legacy }: Settings): Story {
  const { key, name, callId } = delta
  const known = mapGet(story.calls, key)
  const isNew = known === undefined
  const index = known ?? mapSize(story.calls)
  const begun = begin(story, null, say)
  if (!legacy) say.push(said({ tool_calls: [{ index, ...(isNew ? { id: callId } : {}), ...callOf(delta, isNew) }] }))
  else if (index === 0) say.push(said({ function_call: named(name, isNew, { arguments: delta.arguments }) }))
  return isNew ? { ...begun, calls: mapSet(begun.calls, key, index) } : begun
}

const named = <Body extends object>(name: string | null, isNew: boolean, body: Body): Body & { name?: string } =>
  isNew ? { name: name ?? '', ...body } : body

function callOf({ type, name, arguments: text }: CallDelta, isNew: boolean) {
  return type === 'function_call'
    ? { ...(isNew ? { type: 'function' } : {}), function: named(name, isNew, { arguments: text }) }
    : { ...(isNew ? { type: 'custom' } : {}), custom: named(name, isNew, { input: text }) }
}

/** Emits an image in OpenRouter's format. Chat Completions has no form for searches and other hosted tools. */
function hearHosted(story: Story, { item, done }: HostedDelta, say: Say): Story {
  const { result, output_format: format } = item.fields
  if (!done || item.type !== 'image_generation_call' || !isText(result)) return story
  const begun = begin(story, null, say)
  const url = `data:image/${isText(format) ? format : 'png'};base64,${result}`
  say.push(said({ images: [{ type: 'image_url', index: story.images, image_url: { url } }] }))
  return { ...begun, images: story.images + 1 }
}
