import type { JsonObject } from '../../protocol/json.ts'
import type { Effort } from '../../protocol/request.ts'
import { isObject } from '../../text/json.ts'
import { type Heard, hear, known } from '../../validation/known.ts'
import {
  bend,
  countAt,
  flagAt,
  isAbsent,
  lose,
  type Notes,
  optionalAt,
  optionalHeardAt,
  optionalWordAt,
} from '../notes.ts'
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

/** What a client wants of thoughts. */
export interface Wished {
  readonly fields: JsonObject
  readonly fieldPlaces: FieldPlaces
  /** It does not want to read them. */
  readonly hidden: boolean
}

/** An effort, and the field that asks for it. */
interface Asked {
  readonly place: string
  readonly effort: Effort
  /** Whether it asks for nothing else than this effort does. */
  agrees(effort: Effort): boolean
  /** It counts otherwise. */
  readonly bent: boolean
}

const asWord = (place: string, effort: Effort | null): readonly Asked[] =>
  effort === null ? [] : [{ place, effort, agrees: (other) => other === effort, bent: false }]

const asSwitch = (place: string, on: boolean, bent: boolean): Asked => ({
  place,
  effort: on ? 'medium' : 'none',
  agrees: (other) => (other !== 'none') === on,
  bent: bent && on,
})

const asTokens = (place: string, tokens: number | null): readonly Asked[] =>
  tokens === null ? [] : [{ place, effort: effortFor(tokens), agrees: () => false, bent: true }]

/** `reasoning` (OpenRouter): an effort, a number of tokens, or just whether. */
function askedByReasoning(reasoning: Heard<typeof REASONING>, notes: Notes): readonly Asked[] {
  const enabled = optionalAt(flagAt, notes, 'reasoning.enabled', reasoning.enabled)
  const onOff = enabled === null ? [] : [asSwitch('reasoning.enabled', enabled, false)]
  const tokens = optionalAt(countAt, notes, 'reasoning.max_tokens', reasoning.max_tokens)
  return [
    ...asWord('reasoning.effort', optionalWordAt(notes, 'reasoning.effort', reasoning.effort, EFFORTS)),
    ...(enabled === false ? onOff : []),
    ...asTokens('reasoning.max_tokens', tokens),
    ...(enabled === true ? onOff : []),
  ]
}

const SWITCH: ReadonlyMap<unknown, boolean> = new Map([
  ['enabled', true],
  ['disabled', false],
])

/** DeepSeek and its kin switch it on and off. */
function askedByThinking({ thinking }: Wishes, notes: Notes): readonly Asked[] {
  if (isAbsent(thinking)) return []
  const on = isObject(thinking) ? SWITCH.get(hear(thinking, THINKING, 'thinking', notes).type) : undefined
  if (on !== undefined) return [asSwitch('thinking', on, true)]
  lose(notes, isObject(thinking) ? 'thinking.type' : 'thinking', 'it is neither enabled nor disabled')
  return []
}

/** The first of the fields that ask for it says it; what another asks besides is lost. */
function effortOf(body: Wishes, reasoning: Heard<typeof REASONING>, notes: Notes): Asked | null {
  const word = optionalWordAt(notes, 'reasoning_effort', body.reasoning_effort, EFFORTS)
  const [first, ...others] = [
    ...asWord('reasoning_effort', word),
    ...askedByReasoning(reasoning, notes),
    ...askedByThinking(body, notes),
  ]
  if (first === undefined) return null
  const { place, effort, bent } = first
  if (bent) bend(notes, place, `asked for as the effort ${effort}`)
  for (const other of others) if (!other.agrees(effort)) lose(notes, other.place, `${place} says it already`)
  return first
}

/** How long it shall think, by whichever of its names. */
export function decodeThinking(body: Wishes, notes: Notes): Wished {
  const reasoning = optionalHeardAt(notes, 'reasoning', body.reasoning, REASONING)
  const asked = effortOf(body, reasoning, notes)
  const summary = optionalWordAt(notes, 'reasoning.summary', reasoning.summary, SUMMARIES)
  const wished = { ...(asked === null ? {} : { effort: asked.effort }), ...(summary === null ? {} : { summary }) }
  const place = asked?.place ?? 'reasoning'
  return {
    fields: Object.keys(wished).length === 0 ? {} : { reasoning: wished },
    fieldPlaces: { reasoning: place, 'reasoning.effort': place, 'reasoning.summary': 'reasoning.summary' },
    hidden: reasoning.exclude === true || body.include_reasoning === false,
  }
}
