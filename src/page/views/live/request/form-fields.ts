import type { Json } from '../../../../protocol/json.ts'
import { isObject, toArray } from '../../../../text/json.ts'
import type { LiveProtocol } from '../answer/protocols.ts'

export type JsonBody = Readonly<Record<string, unknown>>

/** One field of the form in the body of a protocol. */
interface FormField {
  read(body: JsonBody): string
  write(body: JsonBody, value: string): JsonBody
}

interface FormFields {
  /** The members of a body that no field of the form has. */
  readonly start: JsonBody
  /** Whether the body names the model; else the address does. */
  readonly hasModel: boolean
  readonly prompt: FormField
  readonly system: FormField
  readonly effort: FormField
  readonly tools: readonly Json[]
}

export const FORM_EFFORTS = ['', 'low', 'medium', 'high'] as const

// ---------------------------------------------------------------- the sample tool

const NAME = 'get_weather'
const DESCRIPTION = 'Returns the weather at a place.'
const PARAMETERS = {
  type: 'object',
  properties: { place: { type: 'string', description: 'Name of a town' } },
  required: ['place'],
  additionalProperties: false,
}
const FUNCTION = { name: NAME, description: DESCRIPTION, parameters: PARAMETERS }
const CHAT_TOOLS = [{ type: 'function', function: FUNCTION }]

// ---------------------------------------------------------------- texts

/** The text of a content: a string, or the texts of its parts. */
const textOfContent = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : toArray(content)
        .flatMap((part) => (isObject(part) && typeof part.text === 'string' ? [part.text] : []))
        .join('\n')

/** Puts a text in the place of all texts of a content; other parts stay. `type`: that of a part of text, if it has one. */
function withText(content: unknown, text: string, type: string | null): unknown {
  if (!Array.isArray(content)) return text
  const at = content.findIndex(hasText)
  if (at < 0) return [type === null ? { text } : { type, text }, ...content]
  const first: object = content[at]
  return [...content.slice(0, at), { ...first, text }, ...content.slice(at + 1).filter((part) => !hasText(part))]
}

const hasText = (part: unknown): boolean => isObject(part) && typeof part.text === 'string'

const isFrom = (roles: readonly string[]) => (message: unknown) =>
  isObject(message) && roles.includes(String(message.role))

/** The place of messages in a body: their list, the content of a message, and the type of its parts of text. */
interface MessagePlace {
  readonly list: string
  readonly content: string
  readonly type: string | null
  readonly created?: JsonBody
}

/** The last message of the user. `created`: the members of a message that has no content yet. */
const lastPrompt = ({ list, content, type, created = { role: 'user' } }: MessagePlace): FormField => ({
  read(body) {
    const found = toArray(body[list]).findLast(isPrompt)
    return isObject(found) ? textOfContent(found[content]) : ''
  },
  write(body, text) {
    const messages = toArray(body[list])
    const at = messages.findLastIndex(isPrompt)
    const found = messages[at]
    if (isObject(found)) {
      const changed = { ...found, [content]: withText(found[content], text, type) }
      return { ...body, [list]: messages.with(at, changed) }
    }
    return { ...body, [list]: [...messages, { ...created, [content]: type === null ? [{ text }] : text }] }
  },
})

const isPrompt = (message: unknown): boolean => isUser(message) || (isObject(message) && message.type === 'user_input')

const isUser = isFrom(['user'])

/** The first message, if it is a system message. An empty text removes it. */
const SYSTEM_MESSAGE: FormField = {
  read(body) {
    const [first] = toArray(body.messages)
    return isObject(first) && isSystem(first) ? textOfContent(first.content) : ''
  },
  write(body, text) {
    const all = toArray(body.messages)
    const [first] = all
    const rest = isObject(first) && isSystem(first) ? all.slice(1) : all
    if (text === '') return { ...body, messages: rest }
    const message = isObject(first) && isSystem(first) ? first : { role: 'system' }
    return { ...body, messages: [{ ...message, content: text }, ...rest] }
  },
}

const isSystem = isFrom(['system', 'developer'])

/** A text at a path of members. An empty text removes it, with the objects that it leaves empty. */
const textAt = (...path: readonly [string, ...string[]]): FormField => ({
  read(body) {
    const found = path.reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), body)
    return typeof found === 'string' ? found : Array.isArray(found) ? textOfContent(found) : ''
  },
  write: (body, text) => withMember(body, path, text),
})

/** Writes a member; an empty text removes it. */
function withMember(body: JsonBody, [name, ...rest]: readonly string[], value: string | boolean): JsonBody {
  if (name === undefined) return body
  const { [name]: before, ...others } = body
  if (rest.length === 0) return value === '' ? others : { ...body, [name]: value }
  const inner = withMember(isObject(before) ? before : {}, rest, value)
  return Object.keys(inner).length === 0 ? others : { ...body, [name]: inner }
}

/** The effort, together with the member that requests readable reasoning. */
function effortWith(effort: FormField, path: readonly string[], value: string | boolean): FormField {
  return { ...effort, write: (body, text) => withMember(effort.write(body, text), path, text === '' ? '' : value) }
}

// ---------------------------------------------------------------- protocols

const CHAT_PROMPT = lastPrompt({ list: 'messages', content: 'content', type: 'text' })

const INPUT_PROMPT = lastPrompt({ list: 'input', content: 'content', type: 'input_text' })

/** `input` is a text, or a list. */
const textOrList = (list: FormField): FormField => ({
  read: (body) => (typeof body.input === 'string' ? body.input : list.read(body)),
  write: (body, text) => (Array.isArray(body.input) ? list.write(body, text) : { ...body, input: text }),
})

const RESPONSES_PROMPT = textOrList(INPUT_PROMPT)

const RESPONSES: FormFields = {
  start: { model: '', input: '', stream: true },
  hasModel: true,
  prompt: RESPONSES_PROMPT,
  system: textAt('instructions'),
  effort: effortWith(textAt('reasoning', 'effort'), ['reasoning', 'summary'], 'auto'),
  tools: [{ type: 'function', ...FUNCTION, strict: true }],
}

const STEPS_PROMPT = lastPrompt({ list: 'input', content: 'content', type: 'text', created: { type: 'user_input' } })

/** The list of an interaction has steps, or the parts of one step. */
const INTERACTION_PROMPT = textOrList({
  read: (body) => (toArray(body.input).some(hasText) ? textOfContent(body.input) : STEPS_PROMPT.read(body)),
  write: (body, text) =>
    toArray(body.input).some(hasText)
      ? { ...body, input: withText(body.input, text, 'text') }
      : STEPS_PROMPT.write(body, text),
})

/** `true` and `false` switch reasoning without an effort. */
const THINK: FormField = { ...textAt('think'), read: ({ think }) => (typeof think === 'string' ? think : '') }

const GEMINI_SYSTEM: FormField = {
  read: ({ systemInstruction }) => (isObject(systemInstruction) ? textOfContent(systemInstruction.parts) : ''),
  write({ systemInstruction, ...body }, text) {
    return text === '' ? body : { systemInstruction: { parts: [{ text }] }, ...body }
  },
}

const THINKING = ['generationConfig', 'thinkingConfig'] as const

const THINKING_LEVEL = textAt(...THINKING, 'thinkingLevel')

/** Google's names of efforts are upper-case. */
const UPPER_LEVEL: FormField = {
  read: (body) => THINKING_LEVEL.read(body).toLowerCase(),
  write: (body, effort) => THINKING_LEVEL.write(body, effort.toUpperCase()),
}

const GEMINI_EFFORT = effortWith(UPPER_LEVEL, [...THINKING, 'includeThoughts'], true)

export const FORM_FIELDS: Readonly<Record<LiveProtocol, FormFields>> = {
  'responses-openai': RESPONSES,
  'responses-beta': RESPONSES,
  'openai-chat': {
    start: { model: '', messages: [], stream: true, stream_options: { include_usage: true } },
    hasModel: true,
    prompt: CHAT_PROMPT,
    system: SYSTEM_MESSAGE,
    effort: textAt('reasoning_effort'),
    tools: CHAT_TOOLS,
  },
  'anthropic-messages': {
    start: { model: '', max_tokens: 1024, messages: [], stream: true },
    hasModel: true,
    prompt: CHAT_PROMPT,
    system: textAt('system'),
    effort: textAt('output_config', 'effort'),
    tools: [{ name: NAME, description: DESCRIPTION, input_schema: PARAMETERS }],
  },
  'gemini-generate': {
    start: { contents: [] },
    hasModel: false,
    prompt: lastPrompt({ list: 'contents', content: 'parts', type: null }),
    system: GEMINI_SYSTEM,
    effort: GEMINI_EFFORT,
    tools: [{ functionDeclarations: [{ name: NAME, description: DESCRIPTION, parametersJsonSchema: PARAMETERS }] }],
  },
  'gemini-interactions': {
    start: { model: '', input: '', stream: true, store: false },
    hasModel: true,
    prompt: INTERACTION_PROMPT,
    system: textAt('system_instruction'),
    effort: effortWith(
      textAt('generation_config', 'thinking_level'),
      ['generation_config', 'thinking_summaries'],
      'auto',
    ),
    tools: [{ type: 'function', ...FUNCTION }],
  },
  'ollama-chat': {
    start: { model: '', messages: [], stream: true },
    hasModel: true,
    prompt: CHAT_PROMPT,
    system: SYSTEM_MESSAGE,
    effort: THINK,
    tools: CHAT_TOOLS,
  },
}
