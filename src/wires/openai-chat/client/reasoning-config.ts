import type { JsonObject } from '../../../protocol/json.ts'
import { UNSUPPORTED_VALUE } from '../../../protocol/loss.ts'
import { EFFORT_LEVELS, type Effort } from '../../../protocol/request.ts'
import { isObject } from '../../../text/json.ts'
import { fieldSet, type KnownFields, pickKnown } from '../../../validation/known-fields.ts'
import type { AbsentMembers } from '../../absent-members.ts'
import {
  COUNT,
  dropField,
  flagAt,
  isAbsent,
  leaveUnsupported,
  mapField,
  optionalAt,
  optionalFieldsAt,
  optionalNumberAt,
  optionalWordAt,
  type RequestReader,
} from '../../shared/client/request-reader.ts'
import type { FieldPaths } from '../../shared/client/source-map.ts'

const SUMMARIES = ['auto', 'concise', 'detailed'] as const

/** For clients that count reasoning in tokens: the highest number of tokens that each effort stands for. */
const BUDGETS: readonly (readonly [Effort, number])[] = [
  ['minimal', 1024],
  ['low', 4096],
  ['medium', 12_288],
  ['high', 32_768],
  ['xhigh', Number.POSITIVE_INFINITY],
]

const effortFor = (tokens: number): Effort => BUDGETS.find(([, most]) => tokens <= most)?.[0] ?? 'high'

const REASONING = fieldSet(['effort', 'summary', 'enabled', 'max_tokens', 'exclude'])
const THINKING = fieldSet(['type'])
const TEMPLATE = fieldSet(['enable_thinking', 'thinking'])

/** The fields of a body that configure reasoning. */
interface ReasoningFields {
  readonly reasoning?: unknown
  readonly reasoning_effort?: unknown
  readonly include_reasoning?: unknown
  readonly thinking?: unknown
  readonly thinking_budget?: unknown
  readonly enable_thinking?: unknown
  readonly think?: unknown
  readonly chat_template_kwargs?: unknown
}

/** The decoded reasoning settings of a client. */
interface RequestedReasoning {
  readonly fields: JsonObject
  readonly fieldPaths: FieldPaths
  /** The client asks for answers without reasoning text. */
  readonly hidden: boolean
  /** Whether the client wants to read a summary of it. */
  readonly summary: AbsentMembers['summary']
}

/** An effort, with the path of the field that requests it. */
interface ReadEffort {
  readonly path: string
  readonly effort: Effort
  /** Whether the field requests nothing that differs from this effort. */
  agrees(effort: Effort): boolean
  /** The field uses another scale than effort, so that the effort is a mapping. */
  readonly mapped: boolean
}

const asWord = (path: string, effort: Effort | null): readonly ReadEffort[] =>
  effort === null ? [] : [{ path, effort, agrees: (other) => other === effort, mapped: false }]

const asSwitch = (path: string, on: boolean, isMapped: boolean): ReadEffort => ({
  path,
  effort: on ? 'medium' : 'none',
  agrees: (other) => (other !== 'none') === on,
  mapped: isMapped && on,
})

const asTokens = (path: string, tokens: number | null): readonly ReadEffort[] =>
  tokens === null ? [] : [{ path, effort: effortFor(tokens), agrees: () => false, mapped: true }]

/** Reads `reasoning` (OpenRouter): an effort, a number of tokens, or a switch. */
function effortsByReasoning(reasoning: KnownFields<typeof REASONING>, notes: RequestReader): readonly ReadEffort[] {
  const enabled = optionalAt(flagAt, notes, 'reasoning.enabled', reasoning.enabled)
  const onOff = enabled === null ? [] : [asSwitch('reasoning.enabled', enabled, false)]
  const tokens = optionalNumberAt(notes, 'reasoning.max_tokens', reasoning.max_tokens, COUNT)
  return [
    ...asWord('reasoning.effort', optionalWordAt(notes, 'reasoning.effort', reasoning.effort, EFFORT_LEVELS)),
    ...(enabled === false ? onOff : []),
    ...asTokens('reasoning.max_tokens', tokens),
    ...(enabled === true ? onOff : []),
  ]
}

const SWITCH: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  ['enabled', true],
  // MiniMax M3.
  ['adaptive', true],
  ['disabled', false],
  [true, true],
  [false, false],
])

/** Reads `thinking`, the switch of DeepSeek and of the vendors that adopted its field. */
function effortsBySwitch({ thinking }: ReasoningFields, notes: RequestReader): readonly ReadEffort[] {
  if (isAbsent(thinking)) return []
  const on = SWITCH.get(isObject(thinking) ? pickKnown(thinking, THINKING, 'thinking', notes).type : thinking)
  if (on !== undefined) return [asSwitch('thinking', on, true)]
  dropField(notes, isObject(thinking) ? 'thinking.type' : 'thinking', 'expected the type enabled, adaptive or disabled')
  return []
}

const NONE: readonly ReadEffort[] = []

/**
 * Reads the switches of Alibaba, of Ollama, and of servers with the chat templates of open models. An upstream of this
 * protocol about whose words nothing is known receives them as they are, and no value of them is an error.
 */
function effortsByServers(body: ReasoningFields, notes: RequestReader): readonly ReadEffort[] {
  const { enable_thinking: enabled, think, thinking_budget: budget, chat_template_kwargs: template } = body
  if ([enabled, think, budget, template].every(isAbsent)) return NONE
  const kwargs = isObject(template) ? pickKnown(template, TEMPLATE, 'chat_template_kwargs', notes) : {}
  if (!isAbsent(template) && !isObject(template)) leaveUnsupported(notes, 'chat_template_kwargs', UNSUPPORTED_VALUE)
  const tokens = ownWord(notes, 'thinking_budget', budget, isCount)
  return [
    ...(enabled === false ? NONE : asTokens('thinking_budget', tokens)),
    ...(
      [
        ['enable_thinking', enabled],
        ['think', think],
        ['chat_template_kwargs.enable_thinking', kwargs.enable_thinking],
        ['chat_template_kwargs.thinking', kwargs.thinking],
      ] as const
    ).flatMap(([path, value]) => {
      const step = ownWord(notes, path, value, isSwitchOrEffort)
      return typeof step === 'boolean' ? [asSwitch(path, step, true)] : asWord(path, step)
    }),
  ]
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= COUNT.least

const isSwitchOrEffort = (value: unknown): value is boolean | Effort =>
  typeof value === 'boolean' || EFFORT_LEVELS.some((level) => level === value)

/** A value of another server's setting, which stays in the body for it; null for one that the hub has no form for. */
function ownWord<Value>(
  notes: RequestReader,
  path: string,
  value: unknown,
  isKnown: (value: unknown) => value is Value,
): Value | null {
  if (isAbsent(value)) return null
  notes.unsupported.add(path)
  if (isKnown(value)) return value
  dropField(notes, path, UNSUPPORTED_VALUE)
  return null
}

/** The first field that requests an effort decides; each other field that requests something else is dropped. */
function effortOf(
  body: ReasoningFields,
  reasoning: KnownFields<typeof REASONING>,
  notes: RequestReader,
): ReadEffort | null {
  const word = optionalWordAt(notes, 'reasoning_effort', body.reasoning_effort, EFFORT_LEVELS)
  const [first, ...others] = [
    ...asWord('reasoning_effort', word),
    ...effortsByReasoning(reasoning, notes),
    ...effortsBySwitch(body, notes),
    ...effortsByServers(body, notes),
  ]
  if (first === undefined) return null
  const { path, effort, mapped } = first
  if (mapped) mapField(notes, path, `sent as the effort ${effort}`)
  for (const other of others) if (!other.agrees(effort)) dropField(notes, other.path, `${path} takes precedence`)
  return first
}

/**
 * OpenAI's own `reasoning_effort` shows no reasoning. The members of other vendors do: their answers have it unless a
 * request excludes it.
 */
const isRead = (body: ReasoningFields): boolean =>
  body.include_reasoning === true ||
  body.enable_thinking === true ||
  [body.reasoning, body.thinking, body.chat_template_kwargs].some(isObject)

/** Decodes the requested effort of reasoning from any of its field names. */
export function decodeReasoning(body: ReasoningFields, notes: RequestReader): RequestedReasoning {
  const reasoning = optionalFieldsAt(notes, 'reasoning', body.reasoning, REASONING)
  const requested = effortOf(body, reasoning, notes)
  const summary = optionalWordAt(notes, 'reasoning.summary', reasoning.summary, SUMMARIES)
  const encoded = {
    ...(requested === null ? {} : { effort: requested.effort }),
    ...(summary === null ? {} : { summary }),
  }
  const path = requested?.path ?? 'reasoning'
  const hidden = reasoning.exclude === true || body.include_reasoning === false
  return {
    fields: Object.keys(encoded).length === 0 ? {} : { reasoning: encoded },
    fieldPaths: { reasoning: path, 'reasoning.effort': path, 'reasoning.summary': 'reasoning.summary' },
    hidden,
    summary: isRead(body) && !hidden ? 'auto' : null,
  }
}
