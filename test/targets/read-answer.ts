import type { Response } from '../../src/protocol/response.ts'
import { toArgumentObject } from '../../src/responses/call-arguments.ts'
import type { ReadMessage, ReadRun } from './readers.ts'

/** What every reader must have of an answer. */
export interface Essence {
  readonly text: string
  readonly reasoning: string
  /** The calls that a program may execute. */
  readonly calls: readonly (readonly [id: string, name: string, input: unknown])[]
  /** Calls that no program may execute. */
  readonly broken: readonly string[]
  /** Items that the upstream ran or passed on itself. */
  readonly hosted: number
  readonly cited: readonly string[]
  readonly sealed: readonly string[]
}

const keyOf = (annotation: { readonly type: string; readonly url?: string; readonly filename?: string }): string =>
  annotation.url ?? annotation.filename ?? ''

/** The essence of the whole answer, as the engine has it. */
export function essenceOfAnswer({ output }: Response): Essence {
  const parts = output.flatMap((item) => (item.type === 'message' ? item.content : []))
  const own = output.flatMap((item) =>
    item.type === 'function_call' || item.type === 'custom_tool_call' ? [item] : [],
  )
  const inputs = own.map((item) => {
    const input = item.type === 'function_call' ? toArgumentObject(item.arguments) : item.input
    return { id: item.call_id, name: item.name, input, isUsable: item.status === 'completed' && input !== null }
  })
  const reasoning = output.flatMap((item) => (item.type === 'reasoning' ? [item] : []))
  return {
    text: parts.map((part) => (part.type === 'refusal' ? part.refusal : part.text)).join(''),
    reasoning: reasoning
      .map(({ summary, content }) =>
        [...summary, ...content]
          .map(({ text }) => text)
          .filter((text) => text !== '')
          .join('\n\n'),
      )
      .join(''),
    calls: inputs.flatMap(({ id, name, input, isUsable }) => (isUsable ? [[id, name, input] as const] : [])),
    broken: inputs.flatMap(({ id, isUsable }) => (isUsable ? [] : [id])),
    hosted: output.length - own.length - reasoning.length - output.filter(({ type }) => type === 'message').length,
    cited: [...new Set(parts.flatMap((part) => ('annotations' in part ? part.annotations.map(keyOf) : [])))].sort(),
    sealed: reasoning.flatMap(({ encrypted_content: sealed }) => (sealed === null ? [] : [sealed])),
  }
}

type UiPart = Readonly<Record<string, unknown>> & { readonly type: string }

const sealOf = ({ providerMetadata }: UiPart): readonly string[] => {
  const { encryptedContent } =
    (providerMetadata as { millrace?: { encryptedContent?: string } } | undefined)?.millrace ?? {}
  return encryptedContent === undefined ? [] : [encryptedContent]
}

/** The essence of a message of the AI SDK. */
export function essenceOfMessage(message: ReadMessage | null): Essence {
  const parts = (message?.parts ?? []) as readonly UiPart[]
  const ofType = (type: string): readonly UiPart[] => parts.filter((part) => part.type === type)
  const own = parts.filter(({ type }) => type.startsWith('tool-'))
  return {
    text: ofType('text')
      .map(({ text }) => text)
      .join(''),
    reasoning: ofType('reasoning')
      .map(({ text }) => text)
      .join(''),
    calls: own.flatMap(({ type, toolCallId, state, input }) =>
      state === 'input-available' ? [[String(toolCallId), type.slice('tool-'.length), input] as const] : [],
    ),
    broken: own.flatMap(({ toolCallId, state }) => (state === 'output-error' ? [String(toolCallId)] : [])),
    hosted: ofType('dynamic-tool').length + ofType('data-millrace-item').length,
    cited: [
      ...ofType('source-url').map(({ url }) => String(url)),
      ...ofType('source-document').map(({ filename }) => String(filename)),
    ].sort(),
    sealed: ofType('reasoning').flatMap(sealOf),
  }
}

/** Of a custom tool, the text is a member of its arguments. */
const inputOf = (text: string, isCustom: boolean): unknown => {
  const value = toArgumentObject(text)
  return isCustom ? value?.input : value
}

/** The essence of an AG-UI run. `custom`: the ids of calls that take free text. */
export function essenceOfRun({ messages, events, pending: waiting }: ReadRun, custom: ReadonlySet<string>): Essence {
  const assistant = messages.flatMap((message) => (message.role === 'assistant' ? [message] : []))
  const reasoning = messages.flatMap((message) => (message.role === 'reasoning' ? [message] : []))
  const pending = new Set(waiting)
  const answered = new Map(
    messages.flatMap((message) => (message.role === 'tool' ? [[message.toolCallId, message]] : [])),
  )
  const all = assistant.flatMap(({ toolCalls = [] }) => toolCalls)
  const broken = all.filter(({ id }) => String(answered.get(id)?.content).startsWith('The call was not executed'))
  const items = events.filter((event) => event.type === 'CUSTOM' && event.name === 'millrace.item')
  const citations = events.flatMap((event) =>
    event.type === 'CUSTOM' && event.name === 'millrace.citation' ? [keyOf(event.value)] : [],
  )
  return {
    text: assistant.map(({ content }) => (typeof content === 'string' ? content : '')).join(''),
    reasoning: reasoning.map(({ content }) => content).join(''),
    calls: all.flatMap(({ id, function: { name, arguments: text } }) =>
      pending.has(id) ? [[id, name, inputOf(text, custom.has(id))] as const] : [],
    ),
    broken: broken.map(({ id }) => id),
    hosted: answered.size - broken.length + items.length,
    cited: [...new Set(citations)].sort(),
    sealed: reasoning.flatMap((message) => (message.encryptedValue === undefined ? [] : [message.encryptedValue])),
  }
}
