import type { JsonObject } from '../../protocol/json.ts'
import type { Effort } from '../../protocol/request.ts'
import { isObject } from '../../text/json.ts'
import { type Heard, hear, known } from '../../validation/known.ts'
import { bend, countAt, flagAt, lose, type Notes, optionalAt, optionalHeardAt, optionalWordAt } from '../notes.ts'
import type { FieldPlaces } from '../places.ts'

const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const satisfies readonly Effort[]
const SUMMARIES = ['auto', 'concise', 'detailed'] as const

/** The most tokens that each effort stands for, where a client counts them. */
const BUDGETS: readonly (readonly [Effort, number])[] = [
  ['minimal', 1024],
  ['low', 4096],
  ['medium', 12_288],
  ['high', 32_768],
  ['xhigh', Number.POSITIVE_INFINITY],
]

const effortFor = (tokens: number): Effort => BUDGETS.find(([, most]) => tokens <= most)?.[0] ?? 'high'

const REASONING = known(['effort', 'summary', 'enabled', 'max_tokens', 'exclude'])
const THINKING = known(['type'])

/** Of a body. */
interface Wishes {
  readonly reasoning?: unknown
  readonly reasoning_effort?: unknown
  readonly include_reasoning?: unknown
  readonly thinking?: unknown
}

/** An effort, and the field that asks for it. */
interface Asked {
  readonly effort: Effort
  readonly place: string
}

/** What a client wants of thoughts. */
export interface Wished {
  readonly fields: JsonObject
  readonly fieldPlaces: FieldPlaces
  /** It does not want to read them. */
  readonly hidden: boolean
}

/** `reasoning` (OpenRouter): an effort, a number of tokens, or just whether. */
function effortOf(reasoning: Heard<typeof REASONING>, notes: Notes): Asked | null {
  const effort = optionalWordAt(notes, 'reasoning.effort', reasoning.effort, EFFORTS)
  if (effort !== null) return { effort, place: 'reasoning.effort' }
  const enabled = optionalAt(flagAt, notes, 'reasoning.enabled', reasoning.enabled)
  if (enabled === false) return { effort: 'none', place: 'reasoning.enabled' }
  const tokens = optionalAt(countAt, notes, 'reasoning.max_tokens', reasoning.max_tokens)
  if (tokens !== null) {
    const near = effortFor(tokens)
    bend(notes, 'reasoning.max_tokens', `asked for as the effort ${near}`)
    return { effort: near, place: 'reasoning.max_tokens' }
  }
  return enabled === true ? { effort: 'medium', place: 'reasoning.enabled' } : null
}

/** DeepSeek and its kin switch it on and off. */
function switched({ thinking }: Wishes, notes: Notes): Asked | null {
  if (!isObject(thinking)) return null
  const { type } = hear(thinking, THINKING, 'thinking', notes)
  if (type === 'disabled') return { effort: 'none', place: 'thinking' }
  if (type !== 'enabled') {
    lose(notes, 'thinking.type', 'it is neither enabled nor disabled')
    return null
  }
  bend(notes, 'thinking', 'asked for as the effort medium')
  return { effort: 'medium', place: 'thinking' }
}

/** How long it shall think, by whichever of its names. */
export function decodeThinking(body: Wishes, notes: Notes): Wished {
  const reasoning = optionalHeardAt(notes, 'reasoning', body.reasoning, REASONING)
  const word = optionalWordAt(notes, 'reasoning_effort', body.reasoning_effort, EFFORTS)
  const asked =
    word === null ? (effortOf(reasoning, notes) ?? switched(body, notes)) : { effort: word, place: 'reasoning_effort' }
  const summary = optionalWordAt(notes, 'reasoning.summary', reasoning.summary, SUMMARIES)
  const wished = { ...(asked === null ? {} : { effort: asked.effort }), ...(summary === null ? {} : { summary }) }
  const place = asked?.place ?? 'reasoning'
  return {
    fields: Object.keys(wished).length === 0 ? {} : { reasoning: wished },
    fieldPlaces: { reasoning: place, 'reasoning.effort': place, 'reasoning.summary': 'reasoning.summary' },
    hidden: reasoning.exclude === true || body.include_reasoning === false,
  }
}
